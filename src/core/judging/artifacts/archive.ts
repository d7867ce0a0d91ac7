// Opens an untrusted zip. Checks the end record before it reads the directory, and the directory before it reads any entry.

import { configure, type Entry, ZipReader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { isSystemFile } from "../../../domain/work-files.ts";
import {
	ArchiveFault,
	type ArchiveFile,
	assertGapExplained,
	type DirectoryEntry,
	findEntryFault,
	findEntryFaults,
	findUnexplainedGaps,
	LOCAL_HEADER_BYTES,
	LOCAL_SIGNATURE,
	MAX_32_BITS,
	MAX_DIRECTORY_BYTES,
	MAX_ENTRIES,
	tooManyEntries,
} from "./policy.ts";
import { RangeReader, type Ranges } from "./range-reader.ts";

// By default, the zip reader limits parallel entries with a queue that all requests of an isolate share. The runtime ends a request that
// waits for another one, so this limit is switched off.
configure({ maxWorkers: Number.MAX_SAFE_INTEGER, useWebWorkers: false });

const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const END_SIGNATURE = 0x06054b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_END_BYTES = 56;
/** The maximum number of local headers that are read to explain gaps between entries. A normal zip needs none. */
const MAX_GAP_READS = 16;
const MAX_16_BITS = 0xffff;

export interface Archive {
	/** The files in the order of the directory, without folders and without files that operating systems add. */
	readonly files: readonly ArchiveFile[];
	readonly reader: RangeReader;
}

/** Returns the result of an examination. @throws the first fault that the examination yields. */
export async function takeFirst<Result>(examination: AsyncGenerator<ArchiveFault, Result, void>): Promise<Result> {
	const step = await examination.next();
	if (step.done !== true) throw step.value;
	return step.value;
}

/** Yields everything that is wrong with a zip as a whole. If its directory cannot be read, returns an archive without files. */
export async function* examineArchive(ranges: Ranges): AsyncGenerator<ArchiveFault, Archive, void> {
	const reader = new RangeReader(ranges);
	const listed = await readDirectory(reader).catch(onlyArchiveFault);
	if (listed instanceof ArchiveFault) {
		yield listed;
		return { files: [], reader };
	}
	const { entries, directoryOffset } = listed;
	yield* findEntryFaults(entries);
	const fault = await assertNoHiddenBytes(reader, entries, directoryOffset).catch(onlyArchiveFault);
	if (fault instanceof ArchiveFault) yield fault;
	return { files: placeFiles(entries, directoryOffset), reader };
}

function placeFiles(entries: readonly DirectoryEntry[], directoryOffset: number): ArchiveFile[] {
	const ends = new Map<DirectoryEntry, number>();
	let end = directoryOffset;
	for (const entry of entries.toSorted((a, b) => b.offset - a.offset)) {
		ends.set(entry, end);
		end = entry.offset;
	}
	return entries
		.filter(({ isFolder, filename }) => !isFolder && !isSystemFile(filename))
		.map((entry) => {
			const { filename, compressedSize, uncompressedSize, offset, method, checksum, externalFileAttributes } = entry;
			const packed = { compressedSize, uncompressedSize, method, checksum };
			return { filename, ...packed, offset, end: ends.get(entry) ?? directoryOffset, externalFileAttributes };
		});
}

/** Returns a fault of the zip as a value, and rethrows any other error. */
export function onlyArchiveFault(error: unknown): ArchiveFault {
	if (error instanceof ArchiveFault) return error;
	throw error;
}

async function readDirectory(reader: RangeReader) {
	const { directoryOffset } = await readEndRecord(reader);
	return { entries: await readEntries(reader), directoryOffset };
}

async function readEntries(reader: RangeReader): Promise<DirectoryEntry[]> {
	const zip = new ZipReader(reader, { strictness: "strict", filenameValidation: "tolerant", useWebWorkers: false });
	const entries: DirectoryEntry[] = [];
	try {
		for await (const entry of zip.getEntriesGenerator()) {
			if (entries.length >= MAX_ENTRIES) throw tooManyEntries();
			entries.push(listEntry(entry));
		}
	} catch (error) {
		throw toArchiveFault(error, reader);
	}
	return entries;
}

function listEntry(entry: Entry): DirectoryEntry {
	return {
		filename: entry.filename,
		isFolder: entry.directory,
		compressedSize: entry.compressedSize,
		uncompressedSize: entry.uncompressedSize,
		offset: entry.offset,
		method: entry.compressionMethod,
		checksum: entry.signature ?? 0,
		externalFileAttributes: entry.externalFileAttributes,
		nameBytes: entry.rawFilename.byteLength,
		extraBytes: entry.rawExtraField.byteLength,
		hasDescriptor: entry.bitFlag?.dataDescriptor === true,
		fault: findEntryFault(entry),
	};
}

/** Turns an error of the zip reader into a fault of the zip. Returns errors of storage unchanged. */
function toArchiveFault(error: unknown, { fault }: RangeReader): unknown {
	if (fault !== null) return fault;
	if (error instanceof ArchiveFault) return error;
	const reason = error instanceof Error ? error.message : String(error);
	return new ArchiveFault(`The zip cannot be read: ${reason}.`, { cause: error });
}

/** The size and place of a zip's directory, as the end record states them. */
interface EndRecord {
	readonly entries: number;
	readonly directoryBytes: number;
	readonly directoryOffset: number;
}

/**
 * Finds the end record and checks the sizes in it before anything is allocated. The directory must reach exactly to the end record, because
 * the zip reader treats everything in between as the directory.
 */
async function readEndRecord(reader: RangeReader): Promise<EndRecord> {
	const start = Math.max(0, reader.size - END_RECORD_BYTES - MAX_COMMENT_BYTES);
	const view = await reader.readView(start, reader.size - start);
	const at = findEndRecord(view);
	if (at === null) throw new ArchiveFault("The file is not a zip, is truncated, or has extra data after its end.");
	if (view.getUint16(at + 8, true) !== view.getUint16(at + 10, true)) throw new ArchiveFault("The zip is one part of a split zip.");
	const plain = {
		entries: view.getUint16(at + 10, true),
		directoryBytes: view.getUint32(at + 12, true),
		directoryOffset: view.getUint32(at + 16, true),
	};
	const zip64 = await readZip64End(reader, start + at);
	if (zip64 !== null) assertSameAnnouncement(plain, zip64);
	const announced = zip64 ?? plain;
	if (announced.entries > MAX_ENTRIES) throw tooManyEntries();
	if (announced.directoryBytes > MAX_DIRECTORY_BYTES) {
		throw new ArchiveFault(
			`The zip's directory is too large: names and attributes may take up at most ${MAX_DIRECTORY_BYTES / 1_048_576} MB in total.`,
		);
	}
	const directoryEnd = zip64 === null ? start + at : start + at - ZIP64_LOCATOR_BYTES - ZIP64_END_BYTES;
	if (announced.directoryOffset + announced.directoryBytes !== directoryEnd) {
		throw new ArchiveFault("The zip's directory is truncated, or is not at the place that the zip's end record names.");
	}
	return announced;
}

/** If there is a zip64 end record, the plain end record must have the same values or refer to the zip64 record. */
function assertSameAnnouncement(plain: EndRecord, zip64: EndRecord): void {
	const agrees =
		[zip64.entries, MAX_16_BITS].includes(plain.entries) &&
		[zip64.directoryBytes, MAX_32_BITS].includes(plain.directoryBytes) &&
		[zip64.directoryOffset, MAX_32_BITS].includes(plain.directoryOffset);
	if (!agrees) throw new ArchiveFault("The zip's two end records contradict each other.");
}

/** Finds the end record whose comment reaches exactly to the end of the file. Returns null if there is none. */
function findEndRecord(view: DataView): number | null {
	for (let at = view.byteLength - END_RECORD_BYTES; at >= 0; at -= 1) {
		if (view.getUint32(at, true) !== END_SIGNATURE) continue;
		if (at + END_RECORD_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
	}
	return null;
}

async function readZip64End(reader: RangeReader, endOffset: number): Promise<EndRecord | null> {
	const locatorOffset = endOffset - ZIP64_LOCATOR_BYTES;
	const offset = locatorOffset - ZIP64_END_BYTES;
	if (offset < 0) return null;
	const view = await reader.readView(offset, ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES);
	if (view.getUint32(ZIP64_END_BYTES, true) !== ZIP64_LOCATOR_SIGNATURE) return null;
	const isInPlace = view.getUint32(0, true) === ZIP64_END_SIGNATURE && view.getBigUint64(ZIP64_END_BYTES + 8, true) === BigInt(offset);
	if (!isInPlace) throw new ArchiveFault("The zip's end record does not point to a directory.");
	return {
		entries: Number(view.getBigUint64(32, true)),
		directoryBytes: Number(view.getBigUint64(40, true)),
		directoryOffset: Number(view.getBigUint64(48, true)),
	};
}

async function assertNoHiddenBytes(reader: RangeReader, entries: readonly DirectoryEntry[], directoryOffset: number): Promise<void> {
	const gaps = findUnexplainedGaps(entries, { directoryOffset, isExact: reader.isSmall });
	if (gaps.length > MAX_GAP_READS && !reader.isSmall) {
		throw new ArchiveFault("Between the zip's entries, too many places contain bytes that do not belong to any entry.");
	}
	for (const gap of gaps) {
		const header = await reader.readView(gap.entry.offset, LOCAL_HEADER_BYTES);
		const isHeader = header.byteLength === LOCAL_HEADER_BYTES && header.getUint32(0, true) === LOCAL_SIGNATURE;
		if (!isHeader) throw new ArchiveFault("An entry of the zip has no header at the place that the zip's directory names.");
		assertGapExplained(gap, header.getUint16(28, true));
	}
}
