/** Rounds a score to the two decimals that responses show. */
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
 * Returns the weighted mean of criterion scores, from 0 to 100. The order of the criteria does not change the result, so that everyone can
 * compute it from a receipt, in which JSON may order the names differently.
 */
export function weightedScore(scores: readonly { readonly score: number; readonly weight: number }[]): number {
	const weights = sumBySize(scores.map(({ weight }) => weight));
	const total = sumBySize(scores.map(({ score, weight }) => score * weight));
	return clampScore(roundScore(total / weights));
}

/** Adds terms from the smallest to the largest, because a sum of floating-point numbers depends on their order. */
function sumBySize(terms: readonly number[]): number {
	return terms.toSorted((a, b) => a - b).reduce((sum, term) => sum + term, 0);
}

/** Returns `(test_weight * test_score + llm_weight * llm_score) / 100`, from 0 to 100. A score that is null counts as 0. */
export function finalScore(parts: { testScore: number | null; llmScore: number | null; testWeight: number; llmWeight: number }): number {
	const { testScore, llmScore, testWeight, llmWeight } = parts;
	return clampScore(roundScore((testWeight * (testScore ?? 0) + llmWeight * (llmScore ?? 0)) / 100));
}

function clampScore(score: number): number {
	return Math.min(100, Math.max(0, score));
}
