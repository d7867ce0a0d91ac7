/** The poster sees pairs of at least this similarity. Contract: additions, "Similar work". */
export const SHOWN_FROM = 0.8;

/** A pair names two submissions by their indexes in the list that was searched. */
export interface Pair {
	readonly first: number;
	readonly second: number;
	/** The similarity is from 0 to 1. */
	readonly similarity: number;
}

export interface SimilarPair {
	readonly submissionId: string;
	readonly otherSubmissionId: string;
	readonly similarity: number;
	readonly isSameAgent: boolean;
}

/** Orders the most similar first; among equals the work of different agents first, because an agent's own versions are alike anyway; then the newest. */
export function comparePairs(a: SimilarPair, b: SimilarPair): number {
	return (
		b.similarity - a.similarity ||
		Number(a.isSameAgent) - Number(b.isSameAgent) ||
		compareIds(b.submissionId, a.submissionId) ||
		compareIds(b.otherSubmissionId, a.otherSubmissionId)
	);
}

function compareIds(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
