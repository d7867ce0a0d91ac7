import { AppError } from "../domain/errors.ts";

export interface BodyRules {
	/** Bytes beyond the limit for what wraps the content, such as the boundaries of a form. Errors do not mention them. */
	readonly overheadBytes?: number;
	/** Ends the reading. */
	readonly signal?: AbortSignal;
	/** The error code of a body that breaks off. */
	readonly faultCode?: "BAD_REQUEST" | "INVALID_BODY" | "VALIDATION_ERROR";
}

/**
 * Reads a request's body chunk by chunk. It counts what arrives, because `Content-Length` may be absent or wrong. When the caller
 * stops early, it discards the rest of a body with an announced length: many clients see no response until they have sent it all.
 *
 * @param maxBytes The body's limit, without the overhead.
 * @throws AppError `FILE_TOO_LARGE` before it reads when the announced length is over the limit, or with the first byte over it;
 * the fault code, `BAD_REQUEST` by default, when the body breaks off.
 */
export async function* readChunks(
	request: Request,
	maxBytes: number,
	{ overheadBytes = 0, signal, faultCode = "BAD_REQUEST" }: BodyRules = {},
): AsyncGenerator<Uint8Array> {
	const limit = maxBytes + overheadBytes;
	const tooLarge = () => bodyTooLarge(maxBytes);
	const announcedLength = announcedLengthOf(request);
	if (announcedLength !== null && announcedLength > limit) throw tooLarge();
	if (request.body === null) return;
	const body = signal === undefined ? request.body : request.body.pipeThrough(new IdentityTransformStream(), { signal });
	const isDiscarded = announcedLength !== null;
	try {
		const chunks = limitChunks(body.values({ preventCancel: isDiscarded }), limit, tooLarge);
		yield* announcedLength === null ? chunks : assertAnnounced(chunks, announcedLength);
	} catch (cause) {
		throw cause instanceof AppError ? cause : brokenBody(faultCode, cause);
	} finally {
		if (isDiscarded) await body.pipeTo(new WritableStream()).catch(() => undefined);
	}
}

/** The runtime sees to this for bodies from the network. */
async function* assertAnnounced(chunks: AsyncIterable<Uint8Array>, announcedBytes: number): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.byteLength;
		if (bytes > announcedBytes) break;
		yield chunk;
	}
	if (bytes !== announcedBytes) throw new Error("The body is not as long as it says.");
}

/** Reads a request's whole body into memory. It throws what {@link readChunks} throws. */
export function readBytes(request: Request, maxBytes: number, rules?: BodyRules): Promise<Uint8Array> {
	return collect(readChunks(request, maxBytes, rules));
}

/** Joins chunks. A single chunk is not copied. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
	const all: Uint8Array[] = [];
	for await (const chunk of chunks) all.push(chunk);
	return joinChunks(all);
}

export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
	const [first] = chunks;
	if (chunks.length === 1 && first !== undefined) return first;
	const bytes = new Uint8Array(chunks.reduce((size, { byteLength }) => size + byteLength, 0));
	let offset = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, offset);
		offset += chunk.byteLength;
	}
	return bytes;
}

/** Passes chunks on. With the first byte over the limit it throws what `refuse` returns. */
export async function* limitChunks(
	chunks: AsyncIterable<Uint8Array>,
	maxBytes: number,
	refuse: () => AppError,
): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.byteLength;
		if (bytes > maxBytes) throw refuse();
		yield chunk;
	}
}

/** Returns the bytes that `Content-Length` announces, or null without a usable one. */
export function announcedLengthOf(request: Request): number | null {
	const header = request.headers.get("Content-Length");
	return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

export function bodyTooLarge(maxBytes: number, what = "The body"): AppError {
	return new AppError("FILE_TOO_LARGE", { message: `${what} may have at most ${maxBytes} bytes.`, details: { max_bytes: maxBytes } });
}

function brokenBody(code: NonNullable<BodyRules["faultCode"]>, cause: unknown): AppError {
	return new AppError(code, { message: "The body broke off or took too long. Nothing was stored; send it again.", cause });
}
