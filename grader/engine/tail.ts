// Keeps the end, or the beginning, of a stream of any length in limited memory.

export interface BoundedText {
	write(chunk: Buffer): void;
	read(): string;
}

export interface Head extends BoundedText {
	/** Returns true if something was cut off. */
	isCut(): boolean;
}

/** Keeps the last `limit` bytes. If the cut is inside a character, the character is shown as a replacement character. */
export function createTail(limit: number): BoundedText {
	let kept = Buffer.alloc(0);
	return {
		write(chunk) {
			kept = chunk.length >= limit ? Buffer.from(chunk.subarray(-limit)) : Buffer.concat([kept.subarray(chunk.length - limit), chunk]);
		},
		read: () => kept.toString("utf8"),
	};
}

/** Keeps the first `limit` bytes. */
export function createHead(limit: number): Head {
	const chunks: Buffer[] = [];
	let size = 0;
	let isCut = false;
	return {
		isCut: () => isCut,
		write(chunk) {
			const part = chunk.subarray(0, limit - size);
			isCut ||= part.length < chunk.length;
			if (part.length === 0) return;
			chunks.push(Buffer.from(part));
			size += part.length;
		},
		read: () => Buffer.concat(chunks).toString("utf8"),
	};
}
