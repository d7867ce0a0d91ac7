// Shows the zip reader one entry as a zip of its own, so that the list of 10,000 others need not stay in memory to read it.
import { Reader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import type { RangeReader } from "./range-reader.ts";

const END_RECORD_BYTES = 22;
const END_SIGNATURE = 0x06054b50;

interface Place {
	/** The record of the entry in the directory. */
	readonly record: Uint8Array;
	/** Where the next entry or the directory begins: the data must end before. */
	readonly end: number;
}

/** The zip up to the end of an entry, then a directory with only that entry's record. */
export class EntryReader extends Reader<RangeReader> {
	override size: number;
	readonly #zip: RangeReader;
	readonly #directory: Uint8Array;
	readonly #end: number;
	#isStarted = false;

	constructor(zip: RangeReader, { record, end }: Place) {
		super(zip);
		this.#zip = zip;
		this.#end = end;
		this.#directory = writeDirectory(record, end);
		this.size = end + this.#directory.byteLength;
	}

	/** From now on, bytes in front of the directory are fetched. Until then they are zeros, because only the record counts. */
	start(): void {
		this.#isStarted = true;
	}

	override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
		const end = Math.min(offset + length, this.size);
		if (end <= offset) return new Uint8Array();
		if (this.#isStarted && end <= this.#end) return this.#zip.readUint8Array(offset, end - offset);
		const bytes = new Uint8Array(end - offset);
		if (this.#isStarted && offset < this.#end) bytes.set(await this.#zip.readUint8Array(offset, this.#end - offset));
		if (end > this.#end) {
			bytes.set(this.#directory.subarray(Math.max(0, offset - this.#end), end - this.#end), Math.max(0, this.#end - offset));
		}
		return bytes;
	}
}

function writeDirectory(record: Uint8Array, offset: number): Uint8Array {
	const bytes = new Uint8Array(record.byteLength + END_RECORD_BYTES);
	bytes.set(record);
	const end = new DataView(bytes.buffer, record.byteLength);
	end.setUint32(0, END_SIGNATURE, true);
	end.setUint16(8, 1, true);
	end.setUint16(10, 1, true);
	end.setUint32(12, record.byteLength, true);
	end.setUint32(16, offset, true);
	return bytes;
}
