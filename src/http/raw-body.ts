import { AppError } from "../domain/errors.ts";
import { type Clock, SECOND_MS } from "../platform/clock.ts";
import { BodyCharge, forgetBody } from "./held-bodies.ts";

/**
 * The pace at which a body in memory must arrive: every `bytes` bytes, and what is left at the end, within `ms`. All requests of an
 * isolate share its memory, so a slow client must not occupy much of it for long.
 */
export const PACE = { bytes: 4 * 1_048_576, ms: 40 * SECOND_MS } as const;

export interface BodyRules {
	/** Additional bytes for what surrounds the content, such as the boundaries of a form. Errors do not mention them. */
	readonly overheadBytes?: number;
	/** If set, reading fails if the body arrives more slowly than {@link PACE}. */
	readonly clock?: Clock | undefined;
	/** The maximum part of the body that is in memory at a time, if the rest is passed on. The default is the whole body. */
	readonly heldBytes?: number;
	/** Aborts the reading. */
	readonly signal?: AbortSignal;
	/** The error code if the body breaks off. */
	readonly faultCode?: "BAD_REQUEST" | "INVALID_BODY" | "VALIDATION_ERROR";
}

/**
 * Reads a request's body chunk by chunk. Counts the bytes that arrive, because `Content-Length` may be missing or wrong. If the caller
 * stops early, the rest of a body with an announced length is discarded, because many clients see no response until they have sent
 * everything.
 *
 * @param maxBytes The limit of the content, to which `overheadBytes` is added.
 * @throws AppError `FILE_TOO_LARGE`, before reading if the announced length is over the limit; the fault code (`BAD_REQUEST` by default) if
 * the body breaks off or is too slow; `UNSUPPORTED_FILE_TYPE` if it is compressed; what {@link BodyCharge} throws.
 */
export async function* readChunks(
	request: Request,
	maxBytes: number,
	{ overheadBytes = 0, clock, heldBytes = Number.POSITIVE_INFINITY, signal, faultCode = "BAD_REQUEST" }: BodyRules,
): AsyncGenerator<Uint8Array> {
	const limit = maxBytes + overheadBytes;
	const tooLarge = () => bodyTooLarge(maxBytes);
	const announcedLength = announcedLengthOf(request);
	if (announcedLength !== null && announcedLength > limit) throw tooLarge();
	if (request.body === null) return;
	assertNotEncoded(request);
	const reader = new ChunkReader(request.body, { clock, signal });
	const charge = clock === undefined ? null : new BodyCharge(request, clock, (refusal) => reader.fail(refusal));
	try {
		const chunks = chargeChunks(limitChunks(reader.chunks(), limit, tooLarge), { charge, heldBytes });
		yield* announcedLength === null ? chunks : assertAnnounced(chunks, announcedLength);
	} catch (cause) {
		forgetBody(request);
		throw cause instanceof AppError ? cause : brokenBody(faultCode, cause);
	} finally {
		charge?.end();
		await reader.end({ isAwaited: announcedLength !== null });
	}
}

/** Counts the memory of each chunk before passing the chunk on, up to `heldBytes` in total. */
async function* chargeChunks(
	chunks: AsyncIterable<Uint8Array>,
	{ charge, heldBytes }: { readonly charge: BodyCharge | null; readonly heldBytes: number },
): AsyncGenerator<Uint8Array> {
	let room = heldBytes;
	for await (const chunk of chunks) {
		charge?.add(Math.min(chunk.byteLength, room));
		room = Math.max(0, room - chunk.byteLength);
		yield chunk;
	}
}

/** Reads the chunks of a body. Each read has its own timeout, because the runtime only checks a signal between chunks. */
class ChunkReader {
	readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
	readonly #clock: Clock | undefined;
	readonly #late = Promise.withResolvers<never>();
	#patienceMs: number = PACE.ms;
	#missingBytes: number = PACE.bytes;

	constructor(
		body: ReadableStream<Uint8Array>,
		{ clock, signal }: { readonly clock: Clock | undefined; readonly signal: AbortSignal | undefined },
	) {
		this.#reader = body.getReader();
		this.#clock = clock;
		this.#late.promise.catch(() => undefined);
		signal?.addEventListener("abort", () => this.fail(signal.reason));
	}

	async *chunks(): AsyncGenerator<Uint8Array> {
		for (;;) {
			const { done, value } = await (this.#clock === undefined ? this.#read() : this.#readInTime(this.#clock));
			if (done) return;
			this.#missingBytes -= value.byteLength;
			if (this.#missingBytes <= 0) [this.#missingBytes, this.#patienceMs] = [PACE.bytes, PACE.ms];
			yield value;
		}
	}

	/** Makes the current read and all later ones fail with this error. */
	fail(error: Error): void {
		this.#late.reject(error);
	}

	/** Discards the rest of the body. If `isAwaited`, waits until it has arrived. */
	async end({ isAwaited }: { isAwaited: boolean }): Promise<void> {
		try {
			if (isAwaited) for await (const _ of this.chunks());
		} catch {
			// A body that breaks off counts as discarded too.
		}
		this.#reader.cancel().catch(() => undefined);
	}

	/** Counts only the time spent waiting for the client, not the work between reads. */
	async #readInTime(clock: Clock) {
		const askedAt = clock.now();
		const stopWaiting = clock.after(this.#patienceMs, () => this.fail(new Error("The client sent the body too slowly.")));
		try {
			return await this.#read();
		} finally {
			stopWaiting();
			this.#patienceMs -= clock.now() - askedAt;
		}
	}

	#read() {
		return Promise.race([this.#reader.read(), this.#late.promise]);
	}
}

/** Throws if a body does not have the announced length. The runtime checks this only for bodies from the network. */
async function* assertAnnounced(chunks: AsyncIterable<Uint8Array>, announcedBytes: number): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.byteLength;
		if (bytes > announcedBytes) break;
		yield chunk;
	}
	if (bytes !== announcedBytes) throw new Error("The body's length differs from the length in the Content-Length header.");
}

/** Reads a request's whole body into memory. Only bytes that have arrived use memory. Throws what {@link readChunks} throws. */
export function readBytes(request: Request, maxBytes: number, rules: BodyRules & { readonly clock: Clock }): Promise<Uint8Array> {
	return collectChunks(readChunks(request, maxBytes, rules));
}

/** Concatenates chunks. A single chunk is not copied. */
export async function collectChunks(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
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

/** Passes chunks on. Once they exceed the limit by a byte, throws what `refuse` returns. */
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

/**
 * Rejects a body that is declared as compressed. The limits count bytes as they arrive, and unpacking could multiply them by a thousand.
 */
function assertNotEncoded({ headers }: Request): void {
	const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "";
	if (encoding === "" || encoding === "identity") return;
	throw new AppError("UNSUPPORTED_FILE_TYPE", {
		message: "Send the body uncompressed, without a Content-Encoding. The platform does not decompress request bodies.",
		headers: { "Accept-Encoding": "identity" },
	});
}

/** Returns the bytes that `Content-Length` announces, or null if it is missing or invalid. */
export function announcedLengthOf(request: Request): number | null {
	const header = request.headers.get("Content-Length");
	return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

export function bodyTooLarge(maxBytes: number, what = "The body"): AppError {
	return new AppError("FILE_TOO_LARGE", { message: `${what} may have at most ${maxBytes} bytes.`, details: { max_bytes: maxBytes } });
}

function brokenBody(code: NonNullable<BodyRules["faultCode"]>, cause: unknown): AppError {
	return new AppError(code, { message: "The body was cut off or took too long. Nothing was stored; send it again.", cause });
}
