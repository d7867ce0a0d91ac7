// Writes zips. The web platform can deflate but has no zip format, and the part that a submission needs fits into this file.
import { crc32 } from "../../../../src/domain/crc32.ts";
import { BountyUsageError } from "../core/errors.ts";
import type { FileMap } from "./files.ts";

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const VERSION = 20;
const UTF8_NAMES = 0x0800;
const STORED = 0;
const DEFLATED = 8;
/** The date is 1 January 1980, so that the same files always give the same zip. */
const DOS_DATE = 0x0021;
/** A regular file with the rights 0644 on Unix. */
const UNIX_FILE = 0o100644 * 0x10000;
const MADE_BY_UNIX = 3 << 8;
/** The limit of the format without its 64-bit extension. The platform accepts far fewer files. */
const MAX_ENTRIES = 0xffff;
const MAX_BYTES = 0xffffffff;
/** Up to this size, the platform accepts any compression of a file. For larger files, it accepts at most this ratio. */
const RATIO_FREE_BYTES = 5 * 1024 * 1024;
const MAX_RATIO = 200;

export interface ZipOptions {
	/** Called after each file with the number of packed files and of all files. */
	readonly onFile?: ((packed: number, total: number) => void) | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** Packs files into a zip. @throws BountyUsageError for more than the format can hold. */
export async function packZip(files: FileMap, { onFile, signal }: ZipOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
	if (files.size > MAX_ENTRIES) throw new BountyUsageError(`A zip holds at most ${MAX_ENTRIES} files.`);
	const parts: Uint8Array[] = [];
	const directory: Uint8Array[] = [];
	let offset = 0;
	for (const [path, bytes] of files) {
		signal?.throwIfAborted();
		const entry = await packEntry(path, bytes);
		directory.push(centralHeader(entry, offset));
		parts.push(localHeader(entry), entry.data);
		offset += 30 + entry.name.length + entry.data.length;
		if (offset > MAX_BYTES) throw new BountyUsageError("The files are too large for a zip.");
		onFile?.(directory.length, files.size);
	}
	const central = concatBytes(directory);
	return concatBytes([...parts, central, endOfDirectory({ entries: files.size, size: central.length, offset })]);
}

interface Entry {
	readonly name: Uint8Array;
	readonly data: Uint8Array;
	readonly method: number;
	readonly crc: number;
	readonly size: number;
}

async function packEntry(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Entry> {
	const shared = { name: new TextEncoder().encode(path), crc: crc32(bytes, 0), size: bytes.length };
	const deflated = await deflate(bytes);
	return deflated !== null && deflated.length < bytes.length && !looksLikeBomb(bytes.length, deflated.length)
		? { ...shared, data: deflated, method: DEFLATED }
		: { ...shared, data: bytes, method: STORED };
}

/** Returns true if the platform would reject the file for its compression. It is then stored uncompressed. */
function looksLikeBomb(bytes: number, packedBytes: number): boolean {
	return bytes > RATIO_FREE_BYTES && bytes > packedBytes * MAX_RATIO;
}

/** Compresses bytes. Returns null if they are empty, or in a runtime without `CompressionStream`. The file is then stored uncompressed. */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | null> {
	if (typeof CompressionStream === "undefined" || bytes.length === 0) return null;
	const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

/** Writes little-endian fields of 2 or 4 bytes. */
function fields(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array {
	const view = new DataView(new ArrayBuffer(values.reduce((sum, [bytes]) => sum + bytes, 0)));
	let at = 0;
	for (const [bytes, value] of values) {
		if (bytes === 2) view.setUint16(at, value, true);
		else view.setUint32(at, value, true);
		at += bytes;
	}
	return new Uint8Array(view.buffer);
}

function sharedFields({ method, crc, data, size, name }: Entry): (readonly [2 | 4, number])[] {
	return [
		[2, VERSION],
		[2, UTF8_NAMES],
		[2, method],
		[2, 0],
		[2, DOS_DATE],
		[4, crc],
		[4, data.length],
		[4, size],
		[2, name.length],
		[2, 0],
	];
}

function localHeader(entry: Entry): Uint8Array {
	return concatBytes([fields([4, LOCAL_HEADER], ...sharedFields(entry)), entry.name]);
}

function centralHeader(entry: Entry, offset: number): Uint8Array {
	const after = [
		[2, 0],
		[2, 0],
		[2, 0],
		[4, UNIX_FILE],
		[4, offset],
	] as const;
	return concatBytes([fields([4, CENTRAL_HEADER], [2, MADE_BY_UNIX | VERSION], ...sharedFields(entry), ...after), entry.name]);
}

function endOfDirectory({ entries, size, offset }: { entries: number; size: number; offset: number }): Uint8Array {
	return fields([4, END_OF_DIRECTORY], [2, 0], [2, 0], [2, entries], [2, entries], [4, size], [4, offset], [2, 0]);
}
