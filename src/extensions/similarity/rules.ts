/** Two works of at least this similarity are nearly the same. */
export const COPY_FROM = 0.9;

/** A pair names two submissions by their indexes in the list that was searched. */
export interface Pair {
	readonly first: number;
	readonly second: number;
	/** The similarity is from 0 to 1. */
	readonly similarity: number;
}
