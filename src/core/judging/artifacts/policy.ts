// The rules for an artifact's entries: pure checks of a zip's directory, before anything is unpacked.
import { PathTree } from "../../../domain/path-tree.ts";
import { findArtifactPathFault, foldPath, MAX_FILES_BYTES } from "./rules.ts";

export const MAX_ENTRIES = 5_000;
/** The size of the directory is limited, because reading it needs several copies in memory. 5,000 entries with names of 350 bytes fit. */
export const MAX_DIRECTORY_BYTES = 2 * 1_048_576;
export const MAX_ENTRY_BYTES = 100 * 1_048_576;
export const MAX_TOTAL_BYTES = 500 * 1_048_576;
/** The maximum compression ratio of a file that is too large for a quick-submit. */
export const MAX_RATIO = 200;
const METHODS = [0, 8];

/** Thrown for a rejected zip, with the reason for the submitter. */
export class ArchiveFault extends Error {
	override readonly name = "ArchiveFault";
	readonly path: string | null;

	constructor(
		message: string,
		facts: ErrorOptions & {
			/** The entry that is at fault. Undefined if the zip as a whole is at fault. */
			readonly path?: string;
		} = {},
	) {
		super(message, facts);
		this.path = facts.path ?? null;
	}
}

/** An entry as the zip reader returns it. */
interface ZipEntry {
	readonly filename: string;
	readonly rawFilename: Uint8Array;
	readonly directory: boolean;
	readonly encrypted: boolean;
	readonly compressionMethod: number;
	readonly compressedSize: number;
	readonly uncompressedSize: number;
	readonly offset: number;
	readonly externalFileAttributes: number;
	readonly rawExtraField: Uint8Array;
}

/** Returns why an entry is rejected for its name, kind or size, or null if it is allowed. */
export function findEntryFault(entry: ZipEntry): string | null {
	return findNameFault(entry) ?? findKindFault(entry) ?? findSizeFault(entry);
}

/** A file of an examined zip. */
export interface ArchiveFile {
	readonly filename: string;
	readonly compressedSize: number;
	readonly uncompressedSize: number;
	/** Where the entry's local header begins in the zip. */
	readonly offset: number;
	/** Where the next entry or the directory begins. The entry's data ends before that. */
	readonly end: number;
	/** The compression method: 0 means stored, 8 means deflated. */
	readonly method: number;
	/** The CRC-32 of the unpacked content. */
	readonly checksum: number;
	readonly externalFileAttributes: number;
}

/** An entry of the directory. It is kept small, because the zip reader's own object takes 6 KB, and a zip may have 5,000 entries. */
export interface DirectoryEntry extends Omit<ArchiveFile, "end"> {
	readonly isFolder: boolean;
	/** The length of the entry's name in the directory. */
	readonly nameBytes: number;
	/** The length of the entry's extra fields in the directory. */
	readonly extraBytes: number;
	readonly hasDescriptor: boolean;
	/** Why the entry is rejected, from {@link findEntryFault}. Null if it is allowed. */
	readonly fault: string | null;
}

/** Yields all faults of the entries: too many of them, the faults of single entries, too large a total size, and equal names. */
export function* findEntryFaults(entries: readonly DirectoryEntry[]): Generator<ArchiveFault, void, void> {
	if (entries.length > MAX_ENTRIES) yield tooManyEntries();
	let total = 0;
	for (const entry of entries) {
		const { fault } = entry;
		if (fault !== null) yield entryFault(entry.filename, (name) => `The entry ${name} ${fault}.`);
		const isFirstBeyond = total <= MAX_TOTAL_BYTES && total + entry.uncompressedSize > MAX_TOTAL_BYTES;
		total += entry.uncompressedSize;
		if (isFirstBeyond) yield new ArchiveFault("The zip unpacks to more than 500 MB.");
	}
	yield* findEqualNames(entries);
}

const MAX_SHOWN_NAME = 200;

function entryFault(filename: string, describe: (name: string) => string): ArchiveFault {
	const path = filename.slice(0, MAX_SHOWN_NAME).toWellFormed();
	return new ArchiveFault(describe(JSON.stringify(path)), { path });
}

export function tooManyEntries(): ArchiveFault {
	return new ArchiveFault(`The zip has more than ${MAX_ENTRIES} entries.`);
}

function findNameFault(entry: ZipEntry): string | null {
	if (decodeUtf8(entry.rawFilename) !== entry.filename) return "has a name that is not plain UTF-8";
	if (hasOtherName(entry)) return "has a name that some unpackers read differently";
	const path = entry.directory ? entry.filename.replace(/\/$/, "") : entry.filename;
	const fault = findArtifactPathFault(path);
	return fault === null ? null : `has a name that is not allowed: it ${fault}`;
}

function decodeUtf8(bytes: Uint8Array): string | null {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return null;
	}
}

const UNICODE_PATH_FIELD = 0x7075;
/** The length of the version and the checksum, which precede the name in the extra field. */
const UNICODE_PATH_HEADER_BYTES = 5;

/** Returns true if an extra field contains a name that differs from the entry's own name. */
function hasOtherName({ rawExtraField, filename }: ZipEntry): boolean {
	const view = new DataView(rawExtraField.buffer, rawExtraField.byteOffset, rawExtraField.byteLength);
	for (let at = 0; at + 4 <= view.byteLength; at += 4 + view.getUint16(at + 2, true)) {
		if (view.getUint16(at, true) !== UNICODE_PATH_FIELD) continue;
		const name = rawExtraField.subarray(at + 4 + UNICODE_PATH_HEADER_BYTES, at + 4 + view.getUint16(at + 2, true));
		if (decodeUtf8(name) !== filename) return true;
	}
	return false;
}

const UNIX_TYPE_MASK = 0xf000;
const PLAIN_UNIX_TYPES = [0, 0x4000, 0x8000];

function findKindFault(entry: ZipEntry): string | null {
	const unixType = (entry.externalFileAttributes >>> 16) & UNIX_TYPE_MASK;
	if (!PLAIN_UNIX_TYPES.includes(unixType)) return "is a link or a device";
	if (entry.encrypted) return "is encrypted";
	if (!METHODS.includes(entry.compressionMethod)) return "uses a compression method other than store and deflate";
	return null;
}

function findSizeFault({ directory, compressedSize, uncompressedSize }: ZipEntry): string | null {
	if (directory && uncompressedSize > 0) return "is a folder with content";
	if (uncompressedSize > MAX_ENTRY_BYTES) return "unpacks to more than 100 MB";
	if (uncompressedSize > MAX_FILES_BYTES && uncompressedSize > compressedSize * MAX_RATIO)
		return `has more than ${MAX_FILES_BYTES / 1_048_576} MB, and its compression ratio is above ${MAX_RATIO} to 1`;
	return null;
}

/** Yields a fault for each name that some file system considers equal to another, and for each entry whose folder is a file in the zip. */
function* findEqualNames(entries: readonly DirectoryEntry[]): Generator<ArchiveFault, void, void> {
	const tree = new PathTree();
	const paths = new Set<string>();
	for (const { filename, isFolder } of entries) {
		const path = foldPath(filename.replace(/\/$/, ""));
		paths.add(path);
		const isFree = tree.add(path, { isFolder });
		if (!isFree) yield entryFault(filename, (name) => `The name ${name} occurs twice, ignoring case and Unicode form.`);
	}
	for (const path of paths) {
		const file = tree.findFileAbove(path);
		if (file !== null) yield entryFault(path, (name) => `The entry ${name} is inside ${JSON.stringify(file)}, which is a file.`);
	}
}

/** The signature of a local header, with which each entry begins. The fixed part of a local header has {@link LOCAL_HEADER_BYTES} bytes. */
export const LOCAL_SIGNATURE = 0x04034b50;
/** In a field of 32 bits, this value means that the number is in the zip64 record. */
export const MAX_32_BITS = 0xffffffff;
export const LOCAL_HEADER_BYTES = 30;
/** The length of a data descriptor with a signature and 64-bit sizes. */
const MAX_DESCRIPTOR_BYTES = 24;
/**
 * Packers write times and owners into local headers. If a local header's extra field is at most this much longer than the directory's, the
 * header need not be read.
 */
export const USUAL_EXTRA_BYTES = 64;

export interface Gap {
	readonly entry: DirectoryEntry;
	/** The number of bytes between the end of the entry's data and the next header. */
	readonly bytes: number;
}

/**
 * Finds the gaps after entries that the directory alone cannot explain, so that the local headers must be read.
 *
 * @throws ArchiveFault if entries overlap each other or the directory, or if something precedes the first entry.
 */
export function findUnexplainedGaps(
	entries: readonly DirectoryEntry[],
	{
		directoryOffset,
		isExact,
	}: {
		readonly directoryOffset: number;
		/** If true, reading local headers costs nothing, so every gap is checked. */
		readonly isExact: boolean;
	},
): Gap[] {
	const sorted = entries.toSorted((a, b) => a.offset - b.offset);
	if ((sorted[0]?.offset ?? 0) !== 0) throw new ArchiveFault("Something precedes the first entry of the zip.");
	return sorted.flatMap((entry, index) => {
		const next = sorted[index + 1]?.offset ?? directoryOffset;
		const bytes = next - (entry.offset + LOCAL_HEADER_BYTES + entry.nameBytes + entry.compressedSize);
		if (bytes < 0) throw new ArchiveFault(`The entry ${JSON.stringify(entry.filename.slice(0, 200))} overlaps another part of the zip.`);
		if (isExact) return bytes === 0 ? [] : [{ entry, bytes }];
		const usual = entry.extraBytes + USUAL_EXTRA_BYTES + (entry.hasDescriptor ? MAX_DESCRIPTOR_BYTES : 0);
		return bytes <= usual ? [] : [{ entry, bytes }];
	});
}

const DESCRIPTOR_SIZES = [12, 16, 20, MAX_DESCRIPTOR_BYTES];

/**
 * Checks that an entry's local header explains the gap after the entry.
 *
 * @param localExtraBytes The length of the extra field in the local header.
 * @throws ArchiveFault if the local header does not explain the gap.
 */
export function assertGapExplained({ entry, bytes }: Gap, localExtraBytes: number): void {
	const rest = bytes - localExtraBytes;
	if (rest === 0 || (entry.hasDescriptor && DESCRIPTOR_SIZES.includes(rest))) return;
	throw new ArchiveFault(`${bytes} bytes after the entry ${JSON.stringify(entry.filename.slice(0, 200))} do not belong to any entry.`);
}
