// Unpacks entries of an examined zip with few reads, because a zip may have thousands of small files.
import { crc32 } from "../../../domain/crc32.ts";
import type { Archive } from "./archive.ts";
import { ArchiveFault, type ArchiveFile, LOCAL_HEADER_BYTES, LOCAL_SIGNATURE, MAX_32_BITS, USUAL_EXTRA_BYTES } from "./policy.ts";
import type { RangeReader } from "./range-reader.ts";

const DESCRIPTOR_SIGNATURE = 0x08074b50;
const ENCRYPTED_FLAGS = 0x2041;
const DESCRIPTOR_FLAG = 0x8;
const DEFLATED = 8;
const ZIP64_FIELD = 1;
/** Packed bytes are read in pieces of this size. */
const PIECE_BYTES = 256 * 1024;

/** Unpacks an entry into memory. @throws what {@link unpackEntry} throws. */
export async function readEntry(archive: Archive, entry: ArchiveFile): Promise<Uint8Array> {
	const bytes = new Uint8Array(entry.uncompressedSize);
	let size = 0;
	await unpackEntry(archive, entry, (chunk) => {
		bytes.set(chunk, size);
		size += chunk.byteLength;
	});
	return bytes;
}

/**
 * Unpacks an entry piece by piece, with the checks of {@link unpackPieces}.
 *
 * @throws ArchiveFault
 */
export async function unpackEntry(archive: Archive, entry: ArchiveFile, write: (chunk: Uint8Array) => void | Promise<void>): Promise<void> {
	for await (const chunk of unpackPieces(archive, entry)) await write(chunk);
}

/** Unpacks only the first bytes of an entry, and reads only the part of the zip that they need. The rest is not checked. */
export async function* unpackStart(archive: Archive, entry: ArchiveFile, bytes: number): AsyncGenerator<Uint8Array> {
	let room = bytes;
	for await (const chunk of unpackPieces(archive, entry)) {
		yield chunk.subarray(0, room);
		room -= chunk.byteLength;
		if (room <= 0 && bytes < entry.uncompressedSize) return;
	}
}

/**
 * Yields the pieces of an entry. Checks its local header first and, after the last piece, its checksum and size.
 *
 * @throws ArchiveFault if a check fails, or if there is more data than the directory says.
 */
async function* unpackPieces({ reader }: Archive, entry: ArchiveFile): AsyncGenerator<Uint8Array> {
	let missingBytes = entry.uncompressedSize;
	let checksum = 0;
	try {
		const dataOffset = await findData(reader, entry);
		const packed = readPieces(reader, dataOffset, entry.compressedSize);
		for await (const chunk of entry.method === DEFLATED ? inflate(packed) : packed) {
			missingBytes -= chunk.byteLength;
			if (missingBytes < 0) throw new ArchiveFault("An entry is larger than the zip's directory says.");
			checksum = crc32(chunk, checksum);
			yield chunk;
		}
	} catch (error) {
		if (reader.fault !== null) throw reader.fault;
		throw error instanceof ArchiveFault ? error : unreadable(entry, "its content is not deflated", error);
	}
	if (missingBytes > 0) throw new ArchiveFault("An entry is smaller than the zip's directory says.");
	if (checksum !== entry.checksum) throw unreadable(entry, "its content does not match the checksum");
}

/**
 * Fetches the packed bytes of an entry in a few requests, instead of one for each piece.
 *
 * @param bytes The number of unpacked bytes that are needed. In packed form, they take at most slightly more room.
 */
export function readAhead({ reader }: Archive, { end, offset }: ArchiveFile, bytes = Number.POSITIVE_INFINITY): void {
	reader.readAhead(Math.min(end - offset, bytes) + USUAL_EXTRA_BYTES);
}

/** Finds where the data of an entry begins. Its local header and its descriptor must agree with the directory. */
async function findData(reader: RangeReader, entry: ArchiveFile): Promise<number> {
	const name = new TextEncoder().encode(entry.filename);
	const header = await reader.readView(entry.offset, LOCAL_HEADER_BYTES + name.byteLength);
	const isHeader = header.byteLength === LOCAL_HEADER_BYTES + name.byteLength && header.getUint32(0, true) === LOCAL_SIGNATURE;
	if (!isHeader) throw unreadable(entry, "it has no header at the place that the zip's directory names");
	const flags = header.getUint16(6, true);
	if ((flags & ENCRYPTED_FLAGS) !== 0) throw unreadable(entry, "its header says that it is encrypted");
	if (header.getUint16(8, true) !== entry.method)
		throw unreadable(entry, "its header and the zip's directory name different compression methods");
	const hasSameName =
		header.getUint16(26, true) === name.byteLength && name.every((byte, at) => byte === header.getUint8(LOCAL_HEADER_BYTES + at));
	if (!hasSameName) throw unreadable(entry, "its header and the zip's directory give it different names");
	const extraOffset = entry.offset + LOCAL_HEADER_BYTES + name.byteLength;
	const extra = await reader.readView(extraOffset, header.getUint16(28, true));
	const dataOffset = extraOffset + extra.byteLength;
	const behindBytes = entry.end - dataOffset - entry.compressedSize;
	if (behindBytes < 0) throw unreadable(entry, "its data overlaps another part of the zip");
	assertSameSizes(entry, { header, extra, hasDescriptor: (flags & DESCRIPTOR_FLAG) !== 0 });
	if ((flags & DESCRIPTOR_FLAG) === 0 && behindBytes > 0) throw unreadable(entry, "the bytes after it do not belong to any entry");
	if ((flags & DESCRIPTOR_FLAG) !== 0) assertDescribed(entry, await reader.readView(entry.end - behindBytes, Math.min(behindBytes, 25)));
	return dataOffset;
}

/** @throws ArchiveFault if the sizes or the checksum in the local header differ from those in the directory. */
function assertSameSizes(
	entry: ArchiveFile,
	{ header, extra, hasDescriptor }: { readonly header: DataView; readonly extra: DataView; readonly hasDescriptor: boolean },
): void {
	const plain = { packed: header.getUint32(18, true), unpacked: header.getUint32(22, true) };
	const { packed, unpacked } = plain.packed === MAX_32_BITS || plain.unpacked === MAX_32_BITS ? readZip64Sizes(extra, plain) : plain;
	const isSame = (inHeader: number, inDirectory: number) =>
		inHeader === inDirectory || (hasDescriptor && [0, MAX_32_BITS].includes(inHeader));
	const isRight =
		isSame(header.getUint32(14, true), entry.checksum) && isSame(packed, entry.compressedSize) && isSame(unpacked, entry.uncompressedSize);
	if (!isRight) throw unreadable(entry, "its header and the zip's directory give it different sizes or checksums");
}

/** Reads the sizes from the zip64 field of a local header, where the unpacked size comes first. */
function readZip64Sizes(extra: DataView, plain: { readonly packed: number; readonly unpacked: number }) {
	for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
		if (extra.getUint16(at, true) !== ZIP64_FIELD || at + 20 > extra.byteLength) continue;
		return { unpacked: Number(extra.getBigUint64(at + 4, true)), packed: Number(extra.getBigUint64(at + 12, true)) };
	}
	return plain;
}

/** @throws ArchiveFault unless the bytes after the data are a descriptor that matches the directory. */
function assertDescribed(entry: ArchiveFile, bytes: DataView): void {
	const { byteLength } = bytes;
	const hasSignature = byteLength === 16 || byteLength === 24;
	const start = hasSignature ? 4 : 0;
	const isLong = byteLength - start === 20;
	const isShort = byteLength - start === 12;
	const agrees =
		(isLong || isShort) &&
		(!hasSignature || bytes.getUint32(0, true) === DESCRIPTOR_SIGNATURE) &&
		bytes.getUint32(start, true) === entry.checksum &&
		(isLong ? Number(bytes.getBigUint64(start + 4, true)) : bytes.getUint32(start + 4, true)) === entry.compressedSize &&
		(isLong ? Number(bytes.getBigUint64(start + 12, true)) : bytes.getUint32(start + 8, true)) === entry.uncompressedSize;
	if (!agrees) throw unreadable(entry, "the sizes after it contradict the zip's directory");
}

async function* readPieces(reader: RangeReader, offset: number, length: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < length; at += PIECE_BYTES) {
		const piece = await reader.readUint8Array(offset + at, Math.min(PIECE_BYTES, length - at));
		if (piece.byteLength === 0) return;
		yield piece;
	}
}

/** Inflates pieces while they are read. @throws the runtime's error for invalid data, or for bytes after the end of the compressed data. */
async function* inflate(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	const { readable, writable } = new DecompressionStream("deflate-raw");
	const reader = readable.getReader();
	const writer = writable.getWriter();
	// The error reaches the caller through the reader, which fails with it too.
	const feeding = feed(writer, pieces).catch((error: unknown) => writer.abort(error).catch(() => undefined));
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) break;
			yield value;
		}
	} finally {
		await reader.cancel().catch(() => undefined);
		await feeding;
	}
}

async function feed(writer: WritableStreamDefaultWriter<Uint8Array>, pieces: AsyncIterable<Uint8Array>): Promise<void> {
	for await (const piece of pieces) await writer.write(piece);
	await writer.close();
}

function unreadable({ filename }: ArchiveFile, reason: string, cause?: unknown): ArchiveFault {
	const path = filename.slice(0, 200).toWellFormed();
	return new ArchiveFault(`The entry ${JSON.stringify(path)} cannot be read: ${reason}.`, { path, cause });
}
