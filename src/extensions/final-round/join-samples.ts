// Combines a judgement with more samples of the same submission, as if all had been taken at once.

import { type CheckSample, criterionScore, spreadOfSamples, typicalSample } from "../../domain/checks.ts";
import { finalScore, weightedScore } from "../../domain/scores.ts";
import type { Judgement } from "../../ports/judgement.ts";

type Dimension = Judgement["texts"]["dimensions"][number];

/** @param further A judgement of the same criteria by the same judge. */
export function joinSamples(
	first: Judgement,
	further: Judgement,
	{ testWeight, llmWeight }: { readonly testWeight: number; readonly llmWeight: number },
): Judgement {
	const others = new Map(further.texts.dimensions.map((dimension) => [dimension.criterion, dimension]));
	const joined = first.texts.dimensions.map((dimension) => {
		const { criterion } = dimension;
		const samples = [...(first.samples[criterion] ?? []), ...(further.samples[criterion] ?? [])];
		return { samples, dimension: joinDimension(dimension, others.get(criterion), samples) };
	});
	const dimensions = joined.map(({ dimension }) => dimension);
	const samples = Object.fromEntries(joined.map(({ dimension: { criterion }, samples: all }) => [criterion, all]));
	const llmScore = weightedScore(dimensions);
	const { breakdown } = first.texts;
	const total = dimensions.reduce((sum, { weight }) => sum + weight, 0);
	const weights = Object.fromEntries(dimensions.map(({ criterion, weight }) => [criterion, (weight * 100) / total]));
	return {
		...first,
		samples,
		llmScore,
		finalScore: finalScore({ testScore: first.testScore, llmScore, testWeight, llmWeight }),
		spread: spreadOfSamples({ samples, weights, share: llmWeight }),
		texts: {
			...first.texts,
			dimensions,
			breakdown: {
				...breakdown,
				injection_suspected: [...new Set([...suspectedIn(first), ...suspectedIn(further)])],
			},
		},
	};
}

function suspectedIn({ texts }: Judgement): unknown[] {
	const suspected = texts.breakdown["injection_suspected"];
	return Array.isArray(suspected) ? suspected : [];
}

/** Shows each check as answered in a typical sample. The reasoning and the gaps come from the judgements that contain these answers. */
function joinDimension(first: Dimension, further: Dimension | undefined, samples: readonly CheckSample[]): Dimension {
	if (further === undefined) return first;
	const chosen = (first.checks ?? []).map((check, position) => {
		const answers = samples.map(({ found }) => found[position] ?? "no");
		const finding = answers[typicalSample(answers)] ?? "no";
		const sample = [first, further].find((one) => one.checks?.[position]?.found === finding) ?? null;
		return { from: sample, check: sample?.checks?.[position] ?? { ...check, found: finding, evidence: [] } };
	});
	const answered = [...new Set(chosen.flatMap(({ from }) => from ?? []))];
	return {
		...first,
		score: criterionScore(samples),
		checks: chosen.map(({ check }) => check),
		gaps: [...new Set(answered.flatMap(({ gaps }) => gaps ?? []))],
		reasoning: [...new Set(answered.map(({ reasoning }) => reasoning))].join(" "),
		quotesWork: first.quotesWork === true || further.quotesWork === true,
	};
}
