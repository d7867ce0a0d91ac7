// A zip writer without checks: a test can give every field of every header a false value.
import { deflateSync, strToU8 } from "fflate";
import { GOOD_FILES } from "./scenario.ts";

/** A local header and a directory record have these fields in common. */
interface Header {
	readonly versionNeeded: number;
	readonly flags: number;
	readonly method: number;
	readonly crc: number;
	readonly packed: number;
	readonly unpacked: number;
	readonly name: Uint8Array;
	readonly extra: Uint8Array;
}

interface DirectoryRecord extends Header {
	readonly madeBy: number;
	readonly attributes: number;
	readonly offset: number;
}

export interface ZipEntry {
	readonly name: string | Uint8Array;
	readonly content?: string | Uint8Array;
	readonly method?: number;
	/** The zip contains these bytes instead of the packed content. */
	readonly packed?: Uint8Array;
	/** If true, sizes and checksum come after the data, as a streaming packer writes them. */
	readonly descriptor?: boolean;
	readonly local?: Partial<Header>;
	readonly central?: Partial<DirectoryRecord>;
	/** Bytes before the local header that belong to no entry. */
	readonly gap?: Uint8Array;
	/** If true, only the directory contains the entry. */
	readonly isDirectoryOnly?: boolean;
}

interface EndRecord {
	readonly disk: number;
	readonly entriesHere: number;
	readonly entries: number;
	readonly directoryBytes: number;
	readonly directoryOffset: number;
	readonly commentBytes: number;
}

export interface ZipSpec {
	readonly entries: readonly ZipEntry[];
	readonly prefix?: Uint8Array;
	readonly beforeDirectory?: Uint8Array;
	readonly beforeEnd?: Uint8Array;
	readonly comment?: Uint8Array;
	readonly suffix?: Uint8Array;
	readonly end?: Partial<EndRecord>;
	/** Writes zip64 records with these fields changed. The plain end record then refers to them. */
	readonly zip64?: { readonly entries?: number; readonly directoryOffset?: number; readonly recordOffset?: number };
}

const UTF8_FLAG = 0x800;
const DESCRIPTOR_FLAG = 0x8;
const UNIX = 3 << 8;

export function bytesOf(content: string | Uint8Array): Uint8Array {
	return typeof content === "string" ? strToU8(content) : content;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
	const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
	let at = 0;
	for (const part of parts) {
		joined.set(part, at);
		at += part.byteLength;
	}
	return joined;
}

/** Packs little-endian numbers, each with its width in bytes. */
function pack(...fields: readonly (readonly [value: number, width: 2 | 4 | 8])[]): Uint8Array {
	const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, width]) => sum + width, 0)));
	let at = 0;
	for (const [value, width] of fields) {
		if (width === 2) view.setUint16(at, value, true);
		else if (width === 4) view.setUint32(at, value, true);
		else view.setBigUint64(at, BigInt(value), true);
		at += width;
	}
	return new Uint8Array(view.buffer);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
	let value = index;
	for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
	return value;
});

/** Large zips repeat one block many times, so its checksum is computed once. */
const checksums = new WeakMap<Uint8Array, number>();

export function crc32(bytes: Uint8Array): number {
	const known = checksums.get(bytes) ?? computeCrc32(bytes);
	checksums.set(bytes, known);
	return known;
}

function computeCrc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
	return (crc ^ 0xffffffff) >>> 0;
}

/** Returns an extra field of an entry. */
export function extraField(id: number, data: Uint8Array): Uint8Array {
	return concat(pack([id, 2], [data.byteLength, 2]), data);
}

/** Returns the extra field of Info-ZIP that gives an entry another name. */
export function unicodePathField(rawName: Uint8Array, name: string): Uint8Array {
	return extraField(0x7075, concat(new Uint8Array([1]), pack([crc32(rawName), 4]), strToU8(name)));
}

/** Returns sizes in the form of a zip64 extra field. */
export function zip64Field(...sizes: readonly number[]): Uint8Array {
	return extraField(1, pack(...sizes.map((size) => [size, 8] as const)));
}

interface BuiltEntry {
	readonly body: Uint8Array;
	readonly record: Uint8Array;
}

function commonFields({ versionNeeded, flags, method, crc, packed, unpacked, name, extra }: Header): Uint8Array {
	const sizes = pack([crc, 4], [packed, 4], [unpacked, 4], [name.byteLength, 2], [extra.byteLength, 2]);
	return concat(pack([versionNeeded, 2], [flags, 2], [method, 2], [0, 2], [0x21, 2]), sizes);
}

function describeEntry(entry: ZipEntry): { header: Header; data: Uint8Array } {
	const content = bytesOf(entry.content ?? "");
	const method = entry.method ?? 0;
	const data = entry.packed ?? (method === 8 ? deflateSync(content) : content);
	const flags = UTF8_FLAG | (entry.descriptor ? DESCRIPTOR_FLAG : 0);
	const sizes = { crc: crc32(content), packed: data.byteLength, unpacked: content.byteLength };
	return { data, header: { versionNeeded: 20, flags, method, ...sizes, name: bytesOf(entry.name), extra: new Uint8Array() } };
}

function buildEntry(entry: ZipEntry, offset: number): BuiltEntry {
	const { header, data } = describeEntry(entry);
	const unknown = entry.descriptor ? { crc: 0, packed: 0, unpacked: 0 } : {};
	const local = { ...header, ...unknown, ...entry.local };
	const descriptor = entry.descriptor ? pack([0x08074b50, 4], [header.crc, 4], [header.packed, 4], [header.unpacked, 4]) : new Uint8Array();
	const gap = entry.gap ?? new Uint8Array();
	const body = concat(gap, pack([0x04034b50, 4]), commonFields(local), local.name, local.extra, data, descriptor);
	const central = { ...header, madeBy: UNIX | 20, attributes: 0o100644 * 65_536, offset: offset + gap.byteLength, ...entry.central };
	const rest = pack([0, 2], [0, 2], [0, 2], [central.attributes, 4], [central.offset, 4]);
	const record = concat(pack([0x02014b50, 4], [central.madeBy, 2]), commonFields(central), rest, central.name, central.extra);
	return { body: entry.isDirectoryOnly ? new Uint8Array() : body, record };
}

/** Writes a zip exactly as the spec says, without a check. */
export function buildZip(spec: ZipSpec): Uint8Array {
	const nothing = new Uint8Array();
	const bodies: Uint8Array[] = [spec.prefix ?? nothing];
	const records: Uint8Array[] = [];
	let offset = spec.prefix?.byteLength ?? 0;
	for (const entry of spec.entries) {
		const { body, record } = buildEntry(entry, offset);
		bodies.push(body);
		records.push(record);
		offset += body.byteLength;
	}
	const directory = concat(...records);
	const directoryOffset = offset + (spec.beforeDirectory?.byteLength ?? 0);
	const truth = { entries: spec.entries.length, directoryBytes: directory.byteLength, directoryOffset };
	const comment = spec.comment ?? nothing;
	const zip64 = spec.zip64 === undefined ? nothing : buildZip64End(truth, spec.zip64);
	const left =
		spec.zip64 === undefined ? {} : { entriesHere: 0xffff, entries: 0xffff, directoryBytes: 0xffffffff, directoryOffset: 0xffffffff };
	const end = buildEnd({ disk: 0, entriesHere: truth.entries, ...truth, commentBytes: comment.byteLength, ...left, ...spec.end });
	const parts = [...bodies, spec.beforeDirectory ?? nothing, directory, spec.beforeEnd ?? nothing, zip64, end, comment];
	return concat(...parts, spec.suffix ?? nothing);
}

export function buildEnd({ disk, entriesHere, entries, directoryBytes, directoryOffset, commentBytes }: EndRecord): Uint8Array {
	const counts = pack([0x06054b50, 4], [disk, 2], [disk, 2], [entriesHere, 2], [entries, 2]);
	return concat(counts, pack([directoryBytes, 4], [directoryOffset, 4], [commentBytes, 2]));
}

function buildZip64End(truth: { entries: number; directoryBytes: number; directoryOffset: number }, lies: NonNullable<ZipSpec["zip64"]>) {
	const { entries, directoryBytes, directoryOffset, recordOffset } = {
		recordOffset: truth.directoryOffset + truth.directoryBytes,
		...truth,
		...lies,
	};
	const counts = pack([0x06064b50, 4], [44, 8], [45, 2], [45, 2], [0, 4], [0, 4], [entries, 8], [entries, 8]);
	const locator = pack([0x07064b50, 4], [0, 4], [recordOffset, 8], [1, 4]);
	return concat(counts, pack([directoryBytes, 8], [directoryOffset, 8]), locator);
}

/** The files of a good submission, as entries. */
export const GOOD_ENTRIES: readonly ZipEntry[] = Object.entries(GOOD_FILES).map(([name, text]) => ({
	name,
	content: String(text),
	method: 8,
}));

/** Returns a good submission with more entries, or with another part of the zip changed. */
export function goodZipWith(entries: readonly ZipEntry[] = [], change: Partial<ZipSpec> = {}): Uint8Array {
	return buildZip({ entries: [...GOOD_ENTRIES, ...entries], ...change });
}

/** Returns a good submission with one more entry. */
export function withEntry(entry: ZipEntry): Uint8Array {
	return goodZipWith([entry]);
}

/** Writes a zip of any size, piece by piece. */
export async function* streamZip(entries: Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
	const records: Uint8Array[] = [];
	let offset = 0;
	for (const entry of entries) {
		const { body, record } = buildEntry(entry, offset);
		offset += body.byteLength;
		records.push(record);
		yield body;
	}
	const directory = concat(...records);
	yield directory;
	const counts = { entries: records.length, entriesHere: records.length };
	yield buildEnd({ disk: 0, ...counts, directoryBytes: directory.byteLength, directoryOffset: offset, commentBytes: 0 });
}
