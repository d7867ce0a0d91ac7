/** Returns the middle value: the larger one if there are two, and 0 without values. */
export function medianOf(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
