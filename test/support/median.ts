/** Returns the value in the middle; the larger of two. 0 without values. */
export function medianOf(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
