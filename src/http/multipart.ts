// Splits multipart forms into parts. The library decodes part headers, but keeps each part in memory, which has no room for an artifact of
// 100 MB. So this file finds the boundaries itself and streams the file.
import { getMultipartBoundary, MultipartPart } from "@remix-run/multipart-parser";
import { type AppError, invalidInput } from "../domain/errors.ts";
import { collectChunks, joinChunks, limitChunks } from "./raw-body.ts";

/** The maximum total size of the preamble, boundaries, part headers and all fields except the file. */
export const FORM_OVERHEAD_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_FIELD_BYTES = 16 * 1024;
const MAX_PARTS = 16;
/** A boundary has at most 70 characters (RFC 2046, section 5.1.1). */
const BOUNDARY = /^[^"]{1,70}$/;
const FILE_FIELD = "file";

const encoder = new TextEncoder();
/** Replaces bytes that are not UTF-8, because a file can have any name. */
const decoder = new TextDecoder();
const LINE_BREAK = encoder.encode("\r\n");
const CLOSING_DASHES = encoder.encode("--");
/**
 * The end of a part's headers. The search for it starts at the line break after the boundary, so that a part without headers has it too.
 */
const HEADERS_END = encoder.encode("\r\n\r\n");

interface FormField {
	readonly kind: "field";
	readonly name: string;
	readonly value: string;
}

/** A part is a file if its field is `file`, and it has a filename or a Content-Type other than text/plain. */
export interface FormFile {
	readonly kind: "file";
	/** Null if the file has no name. `blob` counts as no name, because browsers use it for any `Blob`. */
	readonly filename: string | null;
	/** The media type in lower case, without parameters. */
	readonly mediaType: string;
	/** The bytes of the file. Read them to the end before you request the next part. */
	readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Reads the parts of a multipart form in order, up to the end of the body. Keeps only one chunk of a file in memory.
 *
 * @throws AppError `VALIDATION_ERROR` when the form is broken or cut off, or more than {@link FORM_OVERHEAD_BYTES} surround the file.
 */
export async function* readParts(body: AsyncIterable<Uint8Array>, contentType: string): AsyncGenerator<FormField | FormFile> {
	const boundary = encoder.encode(`\r\n--${boundaryOf(contentType)}`);
	const chunks = body[Symbol.asyncIterator]();
	try {
		yield* splitParts(chunks, boundary);
	} finally {
		await chunks.return?.();
	}
}

async function* splitParts(chunks: AsyncIterator<Uint8Array>, boundary: Uint8Array): AsyncGenerator<FormField | FormFile> {
	const reader = new DelimitedReader(chunks);
	let overheadLeft = FORM_OVERHEAD_BYTES;
	const readOverhead = async (around: AsyncIterable<Uint8Array>, limit = overheadLeft) => {
		const bytes = await collectChunks(limitChunks(around, Math.min(limit, overheadLeft), overheadTooLarge));
		overheadLeft -= bytes.byteLength;
		return bytes;
	};
	await readOverhead(reader.readUntil(boundary));
	for (let parts = 0; !(await reader.startsWith(CLOSING_DASHES)); parts += 1) {
		if (parts === MAX_PARTS) throw refuseForm(`the form has more than ${MAX_PARTS} parts`);
		if (!(await reader.startsWith(LINE_BREAK))) throw brokenForm();
		const part = readHeaders(await readOverhead(reader.readUntil(HEADERS_END), MAX_HEADER_BYTES));
		if (part.isFile) yield { kind: "file", filename: part.filename, mediaType: part.mediaType, content: reader.readUntil(boundary) };
		else yield { kind: "field", name: part.name, value: decoder.decode(await readOverhead(reader.readUntil(boundary), MAX_FIELD_BYTES)) };
	}
	await readOverhead(reader.readToEnd());
}

/**
 * Streams the only file of a multipart form.
 *
 * @throws AppError `VALIDATION_ERROR` if the form is broken, or has no file or several. Some of this shows only while the file is read.
 */
export async function readMultipartFile(body: AsyncIterable<Uint8Array>, contentType: string): Promise<AsyncIterable<Uint8Array>> {
	const parts = readParts(body, contentType);
	const file = await findNextFile(parts);
	if (file === null) throw noFile();
	return readOnlyFile(file, parts);
}

async function* readOnlyFile(file: FormFile, parts: AsyncGenerator<FormField | FormFile>): AsyncGenerator<Uint8Array> {
	try {
		yield* file.content;
		if ((await findNextFile(parts)) !== null) throw severalFiles();
	} finally {
		await parts.return(undefined);
	}
}

/** Skips fields. Calls `next` instead of using a loop, because leaving a loop would end the iteration over the parts. */
async function findNextFile(parts: AsyncGenerator<FormField | FormFile>): Promise<FormFile | null> {
	for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
		if (next.value.kind === "file") return next.value;
	}
	return null;
}

function boundaryOf(contentType: string): string {
	const boundary = /^multipart\/form-data\s*;/i.test(contentType) ? getMultipartBoundary(contentType)?.trim() : undefined;
	if (boundary === undefined || !BOUNDARY.test(boundary))
		throw refuseForm("send multipart/form-data with a boundary of 1 to 70 characters");
	return boundary;
}

/** Re-encodes the headers before the library parses them, because the library rejects headers that are not UTF-8. */
function readHeaders(bytes: Uint8Array) {
	const headers = keepBackslashes(decoder.decode(bytes));
	const part = new MultipartPart(encoder.encode(headers), []);
	const { name } = part;
	if (name === undefined) throw brokenForm();
	const filename = /filename\*\s*=/i.test(headers) ? part.filename : part.filename?.replace(/%(22|0D|0A)/gi, decodeURIComponent);
	const mediaType = part.mediaType?.toLowerCase() ?? "text/plain";
	return {
		name,
		filename: filename === undefined || ["", "blob"].includes(filename) ? null : filename,
		mediaType,
		isFile: name === FILE_FIELD && (filename !== undefined || mediaType !== "text/plain"),
	};
}

/**
 * Escapes backslashes that are not meant as escapes, because the library would drop them. Clients only escape quotes and backslashes, and
 * some programs on Windows send whole paths. Browsers only encode quotes and line breaks in a name, as `%22`, `%0D` and `%0A`.
 */
function keepBackslashes(headers: string): string {
	return headers.replace(/\\(["\\])|\\/g, (found, escaped?: string) => (escaped === undefined ? "\\\\" : found));
}

export function noFile(): AppError {
	return refuseForm("send one file in the field file, with a file name or with a Content-Type other than text/plain");
}

export function severalFiles(): AppError {
	return refuseForm("send one file at a time");
}

function brokenForm(): AppError {
	return refuseForm("the form is broken or cut off");
}

function overheadTooLarge(): AppError {
	const limits = `${MAX_FIELD_BYTES} bytes for any other field, ${MAX_HEADER_BYTES} for a part's headers`;
	return refuseForm(
		`send the file in the field ${FILE_FIELD}. The limits are ${limits}, and ${FORM_OVERHEAD_BYTES} for everything but the file`,
	);
}

export function refuseForm(message: string): AppError {
	return invalidInput("VALIDATION_ERROR", [{ path: FILE_FIELD, message }]);
}

const CARRIAGE_RETURN = 0x0d;

/**
 * Reads a stream up to delimiters that start with CR. Keeps one chunk, and takes linear time, because it looks at a byte again only if a
 * delimiter is split over two chunks.
 */
class DelimitedReader {
	readonly #chunks: AsyncIterator<Uint8Array>;
	/**
	 * Bytes that have arrived but have not been yielded. At first, they are a line break: the first boundary may start the body, but every
	 * other boundary follows a line break.
	 */
	#rest: Uint8Array = LINE_BREAK;

	constructor(chunks: AsyncIterator<Uint8Array>) {
		this.#chunks = chunks;
	}

	/** Returns true if these bytes come next, and leaves them unread. */
	async startsWith(bytes: Uint8Array): Promise<boolean> {
		while (this.#rest.byteLength < bytes.byteLength) {
			if (!(await this.#pull())) throw brokenForm();
		}
		return bytes.every((byte, index) => this.#rest[index] === byte);
	}

	/** Yields everything before the delimiter, and then skips the delimiter. */
	async *readUntil(delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
		for (;;) {
			const at = findStart(this.#rest, delimiter);
			const before = this.#rest.subarray(0, at);
			this.#rest = this.#rest.subarray(at);
			if (before.byteLength > 0) yield before;
			if (this.#rest.byteLength >= delimiter.byteLength) break;
			if (!(await this.#pull())) throw brokenForm();
		}
		this.#rest = this.#rest.subarray(delimiter.byteLength);
	}

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

/** Returns where the delimiter starts, or a part of it at the end of the bytes. If neither is there, returns the end of the bytes. */
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
