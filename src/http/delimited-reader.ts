import { joinChunks } from "./raw-body.ts";

const CARRIAGE_RETURN = 0x0d;

/**
 * Reads a stream up to delimiters that start with CR. It holds one chunk, and its work is linear in the bytes: it looks at a byte
 * again only when it is part of a delimiter that a chunk cuts in two.
 */
export class DelimitedReader {
	readonly #chunks: AsyncIterator<Uint8Array>;
	readonly #refuseEnd: () => Error;
	/** Bytes that have arrived and were not passed on. */
	#rest: Uint8Array;

	/**
	 * @param start Bytes to read before the chunks.
	 * @param refuseEnd Makes the error that is thrown when the stream ends too early.
	 */
	constructor(chunks: AsyncIterator<Uint8Array>, { start, refuseEnd }: { start: Uint8Array; refuseEnd: () => Error }) {
		this.#chunks = chunks;
		this.#refuseEnd = refuseEnd;
		this.#rest = start;
	}

	/** Returns whether these bytes come next, and leaves them unread. */
	async startsWith(bytes: Uint8Array): Promise<boolean> {
		while (this.#rest.byteLength < bytes.byteLength) {
			if (!(await this.#pull())) throw this.#refuseEnd();
		}
		return bytes.every((byte, index) => this.#rest[index] === byte);
	}

	/** Yields what comes before the delimiter, and then skips the delimiter. */
	async *readUntil(delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
		for (;;) {
			const at = findStart(this.#rest, delimiter);
			const before = this.#rest.subarray(0, at);
			this.#rest = this.#rest.subarray(at);
			if (before.byteLength > 0) yield before;
			if (this.#rest.byteLength >= delimiter.byteLength) break;
			if (!(await this.#pull())) throw this.#refuseEnd();
		}
		this.#rest = this.#rest.subarray(delimiter.byteLength);
	}

	/** Yields all that is left. */
	async *readToEnd(): AsyncGenerator<Uint8Array> {
		do {
			yield this.#rest;
			this.#rest = new Uint8Array();
		} while (await this.#pull());
	}

	async #pull(): Promise<boolean> {
		const next = await this.#chunks.next();
		if (next.done === true) return false;
		this.#rest = this.#rest.byteLength === 0 ? next.value : joinChunks([this.#rest, next.value]);
		return true;
	}
}

/** Returns where the delimiter starts, or where a part of it that ends the bytes does; without either, the end of the bytes. */
function findStart(bytes: Uint8Array, delimiter: Uint8Array): number {
	let at = 0;
	while (at < bytes.byteLength) {
		if (bytes[at] !== CARRIAGE_RETURN) {
			at += 1;
			continue;
		}
		const end = Math.min(bytes.byteLength, at + delimiter.byteLength);
		let next = at + 1;
		while (next < end && bytes[next] === delimiter[next - at]) next += 1;
		if (next === end) return at;
		at += 1;
	}
	return bytes.byteLength;
}
