// Computes scores again from the signed samples, with the functions of the platform.
import { criterionScore, sampleScore } from "../../../../src/domain/checks.ts";
import type { ReceiptClaims } from "../../../../src/domain/receipts.ts";
import { finalScore, weightedScore } from "../../../../src/domain/scores.ts";

type ScoreClaims = Pick<ReceiptClaims, "weights" | "mode_weights" | "judge" | "samples" | "scores">;

interface Recomputation {
	/** One sentence for each score that does not follow from the signed samples. */
	readonly faults: readonly string[];
	/** `recomputed` names the scores that follow. `taken` names those that only their source can know. */
	readonly recomputed: readonly string[];
	readonly taken: readonly string[];
}

/** The name of the judge if the poster's service posted the scores. Such scores have no samples. */
const EXTERNAL = "external";

/**
 * Computes scores: criteria from the answers to their checks, `llm` as their weighted mean, and `final` from `test` and `llm` by the
 * weights of the mode. An image scores its criteria itself.
 */
export function recompute({ weights, mode_weights, judge, samples, scores }: ScoreClaims): Recomputation {
	if (judge === EXTERNAL) return { faults: [], recomputed: [], taken: ["all scores, which the poster's service posted"] };
	const isSampled = Object.keys(samples).length > 0;
	const faults = isSampled ? [...compareNames(Object.keys(samples), Object.keys(scores.criteria), Object.keys(weights))] : [];
	const computed = Object.entries(samples).map(([name, records]) => ({ name, score: criterionScore(records), records }));
	for (const { name, score, records } of computed) {
		if (scores.criteria[name] !== undefined) faults.push(...compare(JSON.stringify(name), scores.criteria[name], score));
		for (const sample of records) {
			if (sample.found.length > 0)
				faults.push(...compare(`of a sample of ${JSON.stringify(name)}`, sample.score, sampleScore(sample.found)));
		}
	}
	const weighted = isSampled ? weightedScore(computed.map(({ name, score }) => ({ score, weight: weights[name] ?? 0 }))) : null;
	faults.push(...compare("llm", scores.llm, weighted));
	const parts = { testScore: scores.test, llmScore: scores.llm, testWeight: mode_weights.test, llmWeight: mode_weights.llm };
	faults.push(...compare("final", scores.final, finalScore(parts)));
	const recomputed = [...(isSampled ? ["criteria", "llm"] : []), "final"];
	const byImage = [...(isSampled ? [] : ["criteria"]), ...(["test", "container"] as const).filter((part) => scores[part] !== null)];
	return { faults, recomputed, taken: byImage.map((part) => `${part}, which the poster's image gave`) };
}

function* compareNames(sampled: readonly string[], scored: readonly string[], weighted: readonly string[]): Generator<string> {
	for (const name of scored) if (!sampled.includes(name)) yield `The criterion ${JSON.stringify(name)} has a score and no samples.`;
	for (const name of sampled) if (!scored.includes(name)) yield `The criterion ${JSON.stringify(name)} has samples and no score.`;
	for (const name of weighted) if (!sampled.includes(name)) yield `The criterion ${JSON.stringify(name)} has a weight and no samples.`;
	for (const name of sampled) if (!weighted.includes(name)) yield `The criterion ${JSON.stringify(name)} has samples and no weight.`;
}

function compare(name: string, signed: number | null | undefined, computed: number | null): string[] {
	return signed === computed ? [] : [`The receipt says ${signed} for the score ${name}; its samples and weights give ${computed}.`];
}
