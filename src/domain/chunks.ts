/** Splits a list into chunks of at most `size` items without changing the order. */
export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
	return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

const encoder = new TextEncoder();

/** Splits a list into chunks without changing the order. As JSON, a chunk has at most `maxBytes`, unless it is a single item. */
export function chunksOfJson<Item>(items: readonly Item[], maxBytes: number): Item[][] {
	// Most lists have one item, and measuring it would be wasted.
	if (items.length <= 1) return items.map((item) => [item]);
	const chunks: Item[][] = [];
	let room = 0;
	for (const item of items) {
		const bytes = encoder.encode(`${JSON.stringify(item)},`).byteLength;
		if (bytes > room) {
			chunks.push([]);
			room = maxBytes - 1;
		}
		chunks.at(-1)?.push(item);
		room -= bytes;
	}
	return chunks;
}

/**
 * Calls a function for each item, at most `size` at once, and returns the results in the order of the items.
 *
 * @throws The error of the first item whose call failed, after all calls of its chunk have ended. Later chunks are not begun.
 */
export async function callInChunks<Item, Result>(
	items: readonly Item[],
	size: number,
	call: (item: Item) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	for (const chunk of chunksOf(items, size)) {
		for (const settled of await Promise.allSettled(chunk.map(call))) {
			if (settled.status === "rejected") throw settled.reason;
			results.push(settled.value);
		}
	}
	return results;
}
