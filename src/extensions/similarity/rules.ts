/** Two submissions with at least this similarity are nearly the same. */
export const COPY_FROM = 0.9;

/** A pair contains the indexes of two submissions in the list that was searched. */
export interface Pair {
	readonly first: number;
	readonly second: number;
	/** From 0 to 1. */
	readonly similarity: number;
}
