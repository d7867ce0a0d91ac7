/** Rounds a score to the two decimals it has on the wire. Contract: ruling "Evaluation". */
export function roundScore(score: number): number {
	return Math.round((score + Number.EPSILON) * 100) / 100;
}

/** The middle value; of an even number of values the mean of the middle two. Null for none. */
export function median(values: readonly number[]): number | null {
	const sorted = values.toSorted((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)];
	const lower = sorted[Math.ceil(sorted.length / 2) - 1];
	return upper === undefined || lower === undefined ? null : roundScore((upper + lower) / 2);
}

/** Median of those that are not null; null when all are. */
export function medianOfKnown(values: readonly (number | null)[]): number | null {
	return median(values.filter((value) => value !== null));
}

/**
 * Scores of criteria by their weights, which sum to 100 within the tolerance of a rubric. Scores are 0..100. The order of the criteria
 * does not change the result, so that a receipt gives the same score after JSON has put its names in another order.
 */
export function weightedScore(scores: readonly { readonly score: number; readonly weight: number }[]): number {
	const weights = sumBySize(scores.map(({ weight }) => weight));
	const total = sumBySize(scores.map(({ score, weight }) => score * weight));
	return clampScore(roundScore(total / weights));
}

/** Floating-point sums depend on the order of the terms. */
function sumBySize(terms: readonly number[]): number {
	return terms.toSorted((a, b) => a - b).reduce((sum, term) => sum + term, 0);
}

/** `(test_weight * test_score + llm_weight * llm_score) / 100`, a missing part counting as zero only when its weight is. */
export function finalScore(parts: { testScore: number | null; llmScore: number | null; testWeight: number; llmWeight: number }): number {
	const { testScore, llmScore, testWeight, llmWeight } = parts;
	return clampScore(roundScore((testWeight * (testScore ?? 0) + llmWeight * (llmScore ?? 0)) / 100));
}

function clampScore(score: number): number {
	return Math.min(100, Math.max(0, score));
}
