// The zip reader's window on an object in R2: few range requests, and a count of what they cost.
import { Reader } from "@zip.js/zip.js/lib/zip-core-custom.js";

/** The end of a zip holds its directory, so it is fetched at once; a small object is fetched whole. */
const TAIL_BYTES = 128 * 1024;
/** What is fetched beyond a small read, because headers and data lie side by side. */
const READ_AHEAD_BYTES = 32 * 1024;

interface Block {
	readonly offset: number;
	readonly bytes: Uint8Array;
}

/** The object was there when it was opened and is not any more. */
export class ObjectGoneError extends Error {
	override readonly name = "ObjectGoneError";
}

/** Reads an R2 object by range. Keeps the tail, which may be all of it, and the block read last. */
export class RangeReader extends Reader<string> {
	override size: number;
	readonly #bucket: R2Bucket;
	readonly #key: string;
	#tail: Block | null = null;
	#latest: Block | null = null;
	/** Bytes fetched from R2 so far. */
	bytesRead = 0;
	/** Range requests made so far. */
	fetches = 0;
	/** The error of storage. The zip reader may wrap it, so check here first. */
	fault: unknown = null;

	/** @param size Of the object, in bytes. */
	constructor(bucket: R2Bucket, key: string, size: number) {
		super(key);
		this.#bucket = bucket;
		this.#key = key;
		this.size = size;
	}

	/** Whether the whole object is fetched with its tail, so that further reads cost nothing. */
	get isSmall(): boolean {
		return this.size <= TAIL_BYTES;
	}

	override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
		const end = Math.min(offset + length, this.size);
		if (end <= offset) return new Uint8Array();
		const block = this.#findBlock(offset, end) ?? (await this.#fetchBlock(offset, end));
		return block.bytes.slice(offset - block.offset, end - block.offset);
	}

	/** Fetches bytes that will be read in pieces. They stay in memory until another block is fetched. */
	async preload(offset: number, length: number): Promise<void> {
		const end = Math.min(offset + length, this.size);
		if (this.#findBlock(offset, end) === null) this.#latest = await this.#fetch(offset, end);
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
		this.#latest = await this.#fetch(offset, Math.min(this.size, Math.max(end, offset + READ_AHEAD_BYTES)));
		return this.#latest;
	}

	async #fetch(offset: number, end: number): Promise<Block> {
		this.fetches += 1;
		try {
			const object = await this.#bucket.get(this.#key, { range: { offset, length: end - offset } });
			if (object === null) throw new ObjectGoneError(`${this.#key} is gone from storage.`);
			const bytes = new Uint8Array(await object.arrayBuffer());
			this.bytesRead += bytes.byteLength;
			return { offset, bytes };
		} catch (error) {
			this.fault = error;
			throw error;
		}
	}
}
