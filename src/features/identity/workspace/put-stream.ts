// Streaming a request's body into R2 within the time that its reservation lasts.
import { announcedLengthOf, readChunks } from "../../../http/raw-body.ts";
import { writeBlob } from "../../../platform/blob-writer.ts";
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
	const signal = AbortSignal.timeout(PUT_TIME_LIMIT_MS);
	const target = { bucket, key, contentType: "application/octet-stream", onMultipart, length: announcedLengthOf(request) };
	const { bytes } = await writeBlob(readChunks(request, maxBytes, { signal }), target);
	return bytes;
}
