// Streaming a request's body into R2 with a known length, which holds nothing in memory; the platform's writer does the rest.
import { announcedLengthOf, bodyTooLarge, brokenBody, readChunks } from "../../http/raw-body.ts";
import { writeBlob } from "../../platform/blob-writer.ts";
import { PUT_TIME_LIMIT_MS } from "./agent-workspace.ts";

export interface StreamTarget {
	readonly key: string;
	readonly request: Request;
	readonly maxBytes: number;
	/** See {@link writeBlob}. */
	readonly onMultipart: (multipartId: string) => Promise<void>;
}

/**
 * Puts a body, whole or not at all, and within the time that its reservation lasts.
 *
 * @returns How many bytes it had.
 * @throws AppError `FILE_TOO_LARGE`, `BAD_REQUEST` when the body broke off or took too long.
 */
export async function putStream(bucket: R2Bucket, { key, request, maxBytes, onMultipart }: StreamTarget): Promise<number> {
	const length = announcedLengthOf(request);
	if (length !== null && length > maxBytes) throw bodyTooLarge(maxBytes);
	const signal = AbortSignal.timeout(PUT_TIME_LIMIT_MS);
	if (request.body === null) {
		await bucket.put(key, new Uint8Array());
		return 0;
	}
	if (length !== null) return putFixedLength(bucket, { key, body: request.body, length, signal });
	const target = { bucket, key, contentType: "application/octet-stream", onMultipart };
	const { bytes } = await writeBlob(readChunks(request, maxBytes, { signal }), target);
	return bytes;
}

interface FixedLengthBody {
	readonly key: string;
	readonly body: ReadableStream<Uint8Array>;
	readonly length: number;
	readonly signal: AbortSignal;
}

/** A put whose stream ends early, or does not fit its length, stores nothing. */
async function putFixedLength(bucket: R2Bucket, { key, body, length, signal }: FixedLengthBody): Promise<number> {
	const { readable, writable } = new FixedLengthStream(length);
	const given = new AbortController();
	const piping = body.pipeTo(writable, { signal: AbortSignal.any([signal, given.signal]) }).catch((error: unknown) => error);
	try {
		await bucket.put(key, readable);
		return length;
	} catch (error) {
		given.abort();
		const bodyFault = await piping;
		throw isStoreFault(error) ? error : brokenBody("BAD_REQUEST", bodyFault);
	}
}

/** R2's own faults read `put: … (10001)`. Any other error of a put comes from the stream. */
function isStoreFault(error: unknown): boolean {
	return error instanceof Error && /^put: .*\(\d+\)$/.test(error.message);
}
