/** Rounds a score to two decimals, as in responses. */
export function roundScore(score: number): number {
	return Math.round((score + Number.EPSILON) * 100) / 100;
}

/** Returns the middle value, or the mean of the middle two. Returns null for no values. */
export function median(values: readonly number[]): number | null {
	const sorted = values.toSorted((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)];
	const lower = sorted[Math.ceil(sorted.length / 2) - 1];
	return upper === undefined || lower === undefined ? null : roundScore((upper + lower) / 2);
}

/** Returns the median of the values that are not null, or null if all are. */
export function medianOfKnown(values: readonly (number | null)[]): number | null {
	return median(values.filter((value) => value !== null));
}

/**
 * Returns the weighted sum of criterion scores from 0 to 100. Weights sum to 100 within the tolerance of a rubric.
 * The order of the criteria does not change the result, so that a receipt leads to the same score even if JSON reorders its names.
 */
export function weightedScore(scores: readonly { readonly score: number; readonly weight: number }[]): number {
	const weights = sumBySize(scores.map(({ weight }) => weight));
	const total = sumBySize(scores.map(({ score, weight }) => score * weight));
	return clampScore(roundScore(total / weights));
}

/** Adds terms in order of size, because floating-point sums depend on the order. */
function sumBySize(terms: readonly number[]): number {
	return terms.toSorted((a, b) => a - b).reduce((sum, term) => sum + term, 0);
}

/** Returns `(test_weight * test_score + llm_weight * llm_score) / 100`. A part without a score counts as 0 only if its weight is 0. */
export function finalScore(parts: { testScore: number | null; llmScore: number | null; testWeight: number; llmWeight: number }): number {
	const { testScore, llmScore, testWeight, llmWeight } = parts;
	return clampScore(roundScore((testWeight * (testScore ?? 0) + llmWeight * (llmScore ?? 0)) / 100));
}

function clampScore(score: number): number {
	return Math.min(100, Math.max(0, score));
}
