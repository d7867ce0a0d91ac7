// Computes scores again from the signed samples, with the functions of the platform.
import { scoresAlone } from "../../../../src/domain/evaluation-rounds.ts";
import type { ReceiptClaims } from "../../../../src/domain/receipts.ts";
import { finalScore, median, weightedScore } from "../../../../src/domain/scores.ts";

type ScoreClaims = Pick<ReceiptClaims, "weights" | "mode_weights" | "judge" | "samples" | "scores">;

interface Recomputation {
	/** Each score that does not follow has a sentence. */
	readonly faults: readonly string[];
	/** `recomputed` names the scores that follow; `taken` those that only their source can know. */
	readonly recomputed: readonly string[];
	readonly taken: readonly string[];
}

/** Scores of an external judge have this judge, and no samples. */
const EXTERNAL = "external";

/**
 * Computes scores: criteria are medians of their samples without comparisons, `llm` (or `container`, if no model judged) is their
 * weighted mean, and `final` follows from `test` and `llm` by the weights of the mode.
 */
export function recompute({ weights, mode_weights, judge, samples, scores }: ScoreClaims): Recomputation {
	if (judge === EXTERNAL) return { faults: [], recomputed: [], taken: ["all scores, which the poster's service posted"] };
	const faults = [...compareNames(Object.keys(samples), Object.keys(scores.criteria), Object.keys(weights))];
	const medians = Object.entries(samples).map(([name, records]) => ({ name, score: median(scoresAlone(records)) ?? 0 }));
	for (const { name, score } of medians) {
		if (scores.criteria[name] !== undefined) faults.push(...compare(JSON.stringify(name), scores.criteria[name], score));
	}
	const isSampled = medians.length > 0;
	const weighted = isSampled ? weightedScore(medians.map(({ name, score }) => ({ score, weight: weights[name] ?? 0 }))) : null;
	const whole = scores.llm === null ? "container" : "llm";
	if (weighted !== null || scores.llm !== null) faults.push(...compare(whole, scores[whole], weighted));
	const parts = { testScore: scores.test, llmScore: scores.llm, testWeight: mode_weights.test, llmWeight: mode_weights.llm };
	faults.push(...compare("final", scores.final, finalScore(parts)));
	const recomputed = [...(isSampled ? ["criteria", whole] : []), "final"];
	const taken = (["test", "container"] as const).filter((part) => scores[part] !== null && !recomputed.includes(part));
	return { faults, recomputed, taken: taken.map((part) => `${part}, which the poster's image gave`) };
}

function* compareNames(sampled: readonly string[], scored: readonly string[], weighted: readonly string[]): Generator<string> {
	for (const name of scored) if (!sampled.includes(name)) yield `The criterion ${JSON.stringify(name)} has a score and no samples.`;
	for (const name of sampled) if (!scored.includes(name)) yield `The criterion ${JSON.stringify(name)} has samples and no score.`;
	if (sampled.length === 0) return;
	for (const name of weighted) if (!sampled.includes(name)) yield `The criterion ${JSON.stringify(name)} has a weight and no samples.`;
	for (const name of sampled) if (!weighted.includes(name)) yield `The criterion ${JSON.stringify(name)} has samples and no weight.`;
}

function compare(name: string, signed: number | null | undefined, computed: number | null): string[] {
	return signed === computed ? [] : [`The receipt says ${signed} for the score ${name}; its samples and weights give ${computed}.`];
}
