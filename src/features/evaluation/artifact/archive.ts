// Opening an untrusted zip in R2: its end record is checked before its directory is walked, its directory before any entry is read.
import { type Entry, type FileEntry, ZipReader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import {
	ArchiveFault,
	assertAllowedEntries,
	assertGapExplained,
	findUnexplainedGaps,
	MAX_DIRECTORY_BYTES,
	MAX_ENTRIES,
	tooManyEntries,
} from "./policy.ts";
import { ObjectGoneError, RangeReader } from "./range-reader.ts";

const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const END_SIGNATURE = 0x06054b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_END_BYTES = 56;
const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
/** Local headers that are read to explain gaps; a normal zip needs none. */
const MAX_GAP_READS = 64;

export interface Archive {
	/** Files only, in the order of the directory. */
	readonly files: readonly FileEntry[];
	readonly reader: RangeReader;
}

/**
 * Opens a zip and checks it as a whole: structure, names, sizes, layout.
 *
 * @throws ArchiveFault when it is broken or not allowed.
 * @throws ObjectGoneError when there is no such object.
 */
export async function openArchive(bucket: R2Bucket, key: string): Promise<Archive> {
	const head = await bucket.head(key);
	if (head === null) throw new ObjectGoneError(`${key} is gone from storage.`);
	const reader = new RangeReader(bucket, key, head.size);
	const { directoryOffset } = await readEndRecord(reader);
	const entries = await readDirectory(reader);
	assertAllowedEntries(entries);
	await assertNoHiddenBytes(reader, entries, directoryOffset);
	return { files: entries.filter((entry): entry is FileEntry => !entry.directory), reader };
}

async function readDirectory(reader: RangeReader): Promise<Entry[]> {
	const zip = new ZipReader(reader, { strictness: "strict", filenameValidation: "tolerant", useWebWorkers: false });
	const entries: Entry[] = [];
	try {
		for await (const entry of zip.getEntriesGenerator()) {
			if (entries.length >= MAX_ENTRIES) throw tooManyEntries();
			entries.push(entry);
		}
	} catch (error) {
		throw toArchiveFault(error);
	}
	return entries;
}

/**
 * Unpacks one entry and checks its checksum, its local header and that it does not overlap what was read before.
 *
 * @throws ArchiveFault when any of this fails, or when there is more data than the directory says.
 */
export async function readEntry(entry: FileEntry): Promise<Uint8Array> {
	const bytes = new Uint8Array(entry.uncompressedSize);
	let size = 0;
	const sink = new WritableStream<Uint8Array>({
		write(chunk) {
			if (size + chunk.byteLength > bytes.byteLength) throw new ArchiveFault("An entry is larger than the zip's directory says.");
			bytes.set(chunk, size);
			size += chunk.byteLength;
		},
	});
	try {
		await entry.getData(sink, { strictness: "strict", checkCrc32: true, checkOverlappingEntry: true, useWebWorkers: false });
	} catch (error) {
		throw toArchiveFault(error);
	}
	if (size !== bytes.byteLength) throw new ArchiveFault("An entry is smaller than the zip's directory says.");
	return bytes;
}

/** Whatever the zip reader says of a zip is the zip's fault; storage's faults stay what they are. */
function toArchiveFault(error: unknown): Error {
	if (error instanceof ArchiveFault || error instanceof ObjectGoneError) return error;
	const reason = error instanceof Error ? error.message : String(error);
	return new ArchiveFault(`The zip cannot be read: ${reason}.`, { cause: error });
}

/** Finds the end record and bounds what it announces, before anything is allocated for it. */
async function readEndRecord(reader: RangeReader): Promise<{ directoryOffset: number }> {
	const start = Math.max(0, reader.size - END_RECORD_BYTES - MAX_COMMENT_BYTES);
	const view = viewOf(await reader.readUint8Array(start, reader.size - start));
	const at = findEndRecord(view);
	if (at === null) throw new ArchiveFault("The file is not a zip, or it is cut off.");
	const announced = (await readZip64End(reader, start + at)) ?? {
		entries: view.getUint16(at + 10, true),
		directoryBytes: view.getUint32(at + 12, true),
		directoryOffset: view.getUint32(at + 16, true),
	};
	if (announced.entries > MAX_ENTRIES) throw tooManyEntries();
	if (announced.directoryBytes > MAX_DIRECTORY_BYTES) throw new ArchiveFault("The zip's directory is too large.");
	if (announced.directoryOffset + announced.directoryBytes > start + at) throw new ArchiveFault("The zip's directory is cut off.");
	return { directoryOffset: announced.directoryOffset };
}

/** The record whose comment ends where the file ends. */
function findEndRecord(view: DataView): number | null {
	for (let at = view.byteLength - END_RECORD_BYTES; at >= 0; at -= 1) {
		if (view.getUint32(at, true) !== END_SIGNATURE) continue;
		if (at + END_RECORD_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
	}
	return null;
}

async function readZip64End(reader: RangeReader, endOffset: number) {
	if (endOffset < ZIP64_LOCATOR_BYTES + ZIP64_END_BYTES) return null;
	const locator = viewOf(await reader.readUint8Array(endOffset - ZIP64_LOCATOR_BYTES, ZIP64_LOCATOR_BYTES));
	if (locator.getUint32(0, true) !== ZIP64_LOCATOR_SIGNATURE) return null;
	const offset = Number(locator.getBigUint64(8, true));
	if (offset > endOffset - ZIP64_LOCATOR_BYTES - ZIP64_END_BYTES) throw new ArchiveFault("The zip's end record points outside the file.");
	const end = viewOf(await reader.readUint8Array(offset, ZIP64_END_BYTES));
	if (end.getUint32(0, true) !== ZIP64_END_SIGNATURE) throw new ArchiveFault("The zip's end record points at something else.");
	return {
		entries: Number(end.getBigUint64(32, true)),
		directoryBytes: Number(end.getBigUint64(40, true)),
		directoryOffset: Number(end.getBigUint64(48, true)),
	};
}

async function assertNoHiddenBytes(reader: RangeReader, entries: readonly Entry[], directoryOffset: number): Promise<void> {
	const gaps = findUnexplainedGaps(entries, directoryOffset);
	if (gaps.length > MAX_GAP_READS) throw new ArchiveFault("The zip has many bytes between its entries that belong to none.");
	for (const gap of gaps) {
		const header = viewOf(await reader.readUint8Array(gap.entry.offset, LOCAL_HEADER_BYTES));
		const isHeader = header.byteLength === LOCAL_HEADER_BYTES && header.getUint32(0, true) === LOCAL_SIGNATURE;
		if (!isHeader) throw new ArchiveFault("An entry of the zip has no header where the directory says.");
		assertGapExplained(gap, header.getUint16(28, true));
	}
}

function viewOf(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
