/** The poster sees pairs of at least this similarity. Contract: additions, "Similar work". */
export const SHOWN_FROM = 0.8;
/** A final round judges works of at least this similarity as one. Contract: additions, "Final round". */
export const NEAR_IDENTICAL_FROM = 0.9;

/** Two submissions by their indexes in the list that was searched. */
export interface Pair {
	readonly first: number;
	readonly second: number;
	/** From 0 to 1. */
	readonly similarity: number;
}

/** Returns the groups that pairs connect, transitively, each in the order of its members. An item in no pair is a group of its own. */
export function groupConnected(count: number, pairs: readonly Pair[]): number[][] {
	const parents = Array.from({ length: count }, (_, index) => index);
	const rootOf = (index: number): number => {
		let root = index;
		while (parents[root] !== root) {
			// This halves the way for the next look-up.
			parents[root] = parents[parents[root] ?? root] ?? root;
			root = parents[root] ?? root;
		}
		return root;
	};
	for (const { first, second } of pairs) parents[rootOf(second)] = rootOf(first);
	return [...Map.groupBy(parents.keys(), rootOf).values()];
}

export interface ShownPair {
	readonly submissionId: string;
	readonly otherSubmissionId: string;
	readonly similarity: number;
	readonly isSameAgent: boolean;
}

/** Orders the most similar first; among equals the work of different agents first, because an agent's own versions are alike anyway; then the newest. */
export function comparePairs(a: ShownPair, b: ShownPair): number {
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
