// Bodies of uploads, with progress where the runtime can report it.
import { isRecord } from "../core/json.ts";
import type { CallOptions } from "../core/options.ts";
import type { RequestBody } from "../core/transport.ts";

export interface UploadProgress {
	readonly sentBytes: number;
	readonly totalBytes: number;
}

export interface UploadOptions extends CallOptions {
	/**
	 * Called with the number of bytes that were handed to the network. Node reports each piece; other runtimes report the beginning and the end only.
	 * The count starts again when an attempt is repeated.
	 */
	readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

const CHUNK_BYTES = 64 * 1024;

/** A body of bytes. Called once for each attempt. */
export function uploadBody(
	bytes: Uint8Array<ArrayBuffer>,
	options: { type: string; onProgress: UploadOptions["onProgress"] },
): () => RequestBody {
	const { type, onProgress } = options;
	const headers = { "Content-Type": type };
	return () => {
		onProgress?.({ sentBytes: 0, totalBytes: bytes.length });
		if (onProgress === undefined || !canStreamRequests()) return { content: bytes, headers };
		// With its length, because storage services reject chunked uploads.
		return { content: streamOf(bytes, onProgress), headers: { ...headers, "Content-Length": String(bytes.length) } };
	};
}

/** Only Node keeps the `Content-Length` of a streamed body. */
function canStreamRequests(): boolean {
	const process: unknown = Reflect.get(globalThis, "process");
	const versions = isRecord(process) ? process["versions"] : null;
	return isRecord(versions) && "node" in versions && !("bun" in versions || "deno" in versions || "WebSocketPair" in globalThis);
}

function streamOf(bytes: Uint8Array, onProgress: (progress: UploadProgress) => void): ReadableStream<Uint8Array> {
	let at = 0;
	return new ReadableStream<Uint8Array>(
		{
			pull(controller) {
				if (at >= bytes.length) {
					controller.close();
					return;
				}
				const chunk = bytes.subarray(at, at + CHUNK_BYTES);
				at += chunk.length;
				controller.enqueue(chunk);
				onProgress({ sentBytes: at, totalBytes: bytes.length });
			},
		},
		{ highWaterMark: 0 },
	);
}
