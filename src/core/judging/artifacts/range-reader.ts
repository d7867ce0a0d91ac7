// Reads a zip in few range requests, and counts them. The zip is an object of R2 or the body of a request.
import { Reader } from "@zip.js/zip.js/lib/zip-core-custom.js";

/** The directory is at the end of a zip, so the end is fetched first. A small object is fetched completely. */
const TAIL_BYTES = 128 * 1024;
/** A small read fetches this number of additional bytes, because headers and data are next to each other. */
const READ_AHEAD_BYTES = 32 * 1024;
const MAX_READ_AHEAD_BYTES = 1024 * 1024;

interface Block {
	readonly offset: number;
	readonly bytes: Uint8Array;
}

/** Thrown if the object does not exist, or was deleted after it was opened. */
export class ObjectGoneError extends Error {
	override readonly name = "ObjectGoneError";
}

/** Bytes that can be read in parts: an object of R2, or the body of a request. */
export interface Ranges {
	readonly size: number;
	/** @throws ObjectGoneError */
	read(offset: number, length: number): Promise<Uint8Array>;
}

/**
 * Opens an object with one request, which also fetches its end.
 *
 * @throws ObjectGoneError if the object does not exist.
 */
export async function openObject(bucket: R2Bucket, key: string): Promise<Ranges> {
	const { size, bytes: tail } = await fetchEnd(bucket, key);
	const tailStart = size - tail.byteLength;
	return {
		size,
		async read(offset, length) {
			if (offset >= tailStart) return tail.subarray(offset - tailStart, offset - tailStart + length);
			return (await fetchRange(bucket, key, { offset, length })).bytes;
		},
	};
}

/** Opens an object whose size is known. Sends no request before the first read. */
export function rangesOfObject(bucket: R2Bucket, key: string, size: number): Ranges {
	return { size, read: async (offset, length) => (await fetchRange(bucket, key, { offset, length })).bytes };
}

async function fetchRange(bucket: R2Bucket, key: string, range: R2Range) {
	const object = await bucket.get(key, { range });
	if (object === null) throw new ObjectGoneError(`${key} is gone from storage.`);
	return { size: object.size, bytes: new Uint8Array(await object.arrayBuffer()) };
}

/** Fetches the end of an object. Handles empty objects, for which the bucket would return an error. */
async function fetchEnd(bucket: R2Bucket, key: string) {
	try {
		return await fetchRange(bucket, key, { suffix: TAIL_BYTES });
	} catch (error) {
		if (error instanceof ObjectGoneError || (await bucket.head(key))?.size !== 0) throw error;
		return { size: 0, bytes: new Uint8Array() };
	}
}

/** Makes bytes in memory readable like an object. */
export function rangesOf(bytes: Uint8Array): Ranges {
	return { size: bytes.byteLength, read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)) };
}

/** Keeps the end of the zip, which may be all of it, and the block that was read last, so that few reads need a request. */
export class RangeReader extends Reader<Ranges> {
	override size: number;
	readonly #ranges: Ranges;
	#tail: Block | null = null;
	#latest: Block | null = null;
	#readAheadBytes = READ_AHEAD_BYTES;
	bytesRead = 0;
	/** The number of range requests so far. */
	fetches = 0;
	/** The error with which storage failed. The zip reader may wrap it, so check this field first. */
	fault: unknown = null;

	constructor(ranges: Ranges) {
		super(ranges);
		this.#ranges = ranges;
		this.size = ranges.size;
	}

	/** Returns true if the tail is the whole object, so that further reads cost nothing. */
	get isSmall(): boolean {
		return this.size <= TAIL_BYTES;
	}

	override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
		const end = Math.min(offset + length, this.size);
		if (end <= offset) return new Uint8Array();
		const block = this.#findBlock(offset, end) ?? (await this.#fetchBlock(offset, end));
		return block.bytes.slice(offset - block.offset, end - block.offset);
	}

	async readView(offset: number, length: number): Promise<DataView> {
		const bytes = await this.readUint8Array(offset, length);
		return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}

	/** From now on, fetches larger pieces of up to 1 MB, because the caller will read this number of bytes in a row. */
	readAhead(bytes: number): void {
		this.#readAheadBytes = Math.min(MAX_READ_AHEAD_BYTES, Math.max(READ_AHEAD_BYTES, bytes));
	}

	#findBlock(offset: number, end: number): Block | null {
		for (const block of [this.#latest, this.#tail]) {
			if (block !== null && block.offset <= offset && end <= block.offset + block.bytes.byteLength) return block;
		}
		return null;
	}

	async #fetchBlock(offset: number, end: number): Promise<Block> {
		const tailStart = Math.max(0, this.size - TAIL_BYTES);
		if (offset >= tailStart) {
			this.#tail = await this.#fetch(tailStart, this.size);
			return this.#tail;
		}
		this.#latest = await this.#fetch(offset, Math.min(this.size, Math.max(end, offset + this.#readAheadBytes)));
		return this.#latest;
	}

	async #fetch(offset: number, end: number): Promise<Block> {
		this.fetches += 1;
		try {
			const bytes = await this.#ranges.read(offset, end - offset);
			this.bytesRead += bytes.byteLength;
			return { offset, bytes };
		} catch (error) {
			this.fault = error;
			throw error;
		}
	}
}
