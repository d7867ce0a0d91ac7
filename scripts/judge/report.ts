// Formats a judgement as text for a terminal.

import type { scoreJudgement } from "../../src/core/judging/modes/judged-work.ts";
import { spreadOfSamples } from "../../src/domain/checks.ts";

type Judgement = ReturnType<typeof scoreJudgement>;

export function formatReport(judgement: Judgement, title: string): string {
	const { breakdown, dimensions, llmScore } = judgement;
	const asked = judgement.models.length === 0 ? "" : `, models ${judgement.models.join(", ")}`;
	return [
		`${title}: judged by the ${judgement.judge} judge${asked}, prompt ${judgement.promptVersion}`,
		"",
		...dimensions.flatMap((dimension) => [...formatDimension(dimension, judgement), ""]),
		`${formatScore(llmScore)}  in all, by the weights`,
		...formatSpread(judgement),
		"",
		...formatReading(breakdown),
		formatUsage(breakdown.usage),
	].join("\n");
}

function formatSpread({ samples, dimensions }: Judgement): string[] {
	const weights = Object.fromEntries(dimensions.map(({ criterion, weight }) => [criterion, weight]));
	const spread = spreadOfSamples({ samples, weights, share: 100 });
	return spread === null ? [] : [`${formatScore(spread)}  spread: the standard deviation of the scores of the samples`];
}

function formatScore(score: number): string {
	return score.toFixed(2).padStart(6);
}

function formatDimension(
	{ criterion, weight, score, reasoning, checks }: Judgement["dimensions"][number],
	{ samples, breakdown }: Pick<Judgement, "samples" | "breakdown">,
): string[] {
	const sampled = samples[criterion] ?? [];
	const scores = sampled.length > 1 ? `, from ${sampled.map((sample) => sample.score).join(", ")}` : "";
	const suspected = breakdown.injection_suspected.includes(criterion) ? ["Something in the submission tries to influence the judge."] : [];
	const answers = checks.flatMap(({ check, found, evidence }) => [
		`${found.padEnd(8)}  ${check}`,
		...evidence.map(({ path, start, end, quote }) => {
			return `          ${path}:${start === end ? start : `${start}-${end}`}  ${quote.split(/\s+/).join(" ")}`;
		}),
	]);
	const details = [...answers, reasoning, ...suspected].map((line) => `        ${line}`);
	return [`${formatScore(score)}  ${criterion} (weight ${weight}${scores})`, ...details];
}

function formatReading({ files_read, files_not_read, files_cut, invisible_characters_removed }: Judgement["breakdown"]): string[] {
	return [
		`Files read: ${files_read}.`,
		...files_not_read.map((path) => `Not read: ${path}`),
		...files_cut.map(({ path, lines_read, lines }) => `Read in part: ${path}, ${lines_read} of ${lines} lines`),
		...(invisible_characters_removed === 0 ? [] : [`Invisible characters removed: ${invisible_characters_removed}.`]),
	];
}

function formatUsage({ calls, input_tokens, output_tokens, cost_usd }: Judgement["breakdown"]["usage"]): string {
	if (calls === 0) return "No model was asked.";
	const cost = cost_usd === null ? "" : `, ${cost_usd.toFixed(4)} USD`;
	return `Requests to models: ${calls}, ${input_tokens} tokens in, ${output_tokens} out${cost}.`;
}
