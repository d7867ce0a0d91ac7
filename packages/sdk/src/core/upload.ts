// Prepares bodies of bytes, with progress if the runtime can report it.
import { isRecord } from "./json.ts";
import type { Bytes, UploadOptions } from "./options.ts";

const CHUNK_BYTES = 64 * 1024;

interface PreparedBytes {
	readonly body: () => BodyInit;
	readonly bodyBytes: number;
	/** Reports the end of the upload. */
	readonly onSent: () => void;
}

/** Makes a body of bytes, and sets its headers. */
export async function prepareBytes(
	bytes: Bytes,
	{ mediaType, onProgress, headers }: Pick<UploadOptions, "onProgress"> & { readonly mediaType?: string; readonly headers: Headers },
): Promise<PreparedBytes> {
	const content = await toBytes(bytes);
	const totalBytes = content.length;
	const isStreamed = onProgress !== undefined && canStreamRequests();
	if (!headers.has("Content-Type")) headers.set("Content-Type", mediaType ?? "application/octet-stream");
	// Storage services reject chunked uploads, so a stream needs its length.
	if (isStreamed) headers.set("Content-Length", String(totalBytes));
	return {
		body: () => {
			onProgress?.({ sentBytes: 0, totalBytes });
			return isStreamed ? streamOf(content, onProgress) : content;
		},
		bodyBytes: totalBytes,
		onSent: () => onProgress?.({ sentBytes: totalBytes, totalBytes }),
	};
}

/** Reads content into memory. Text becomes UTF-8. */
export async function toBytes(content: string | Bytes): Promise<Uint8Array<ArrayBuffer>> {
	if (typeof content === "string") return new Uint8Array(new TextEncoder().encode(content));
	if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
	if (content instanceof ArrayBuffer) return new Uint8Array(content);
	const { buffer } = content;
	return buffer instanceof ArrayBuffer ? new Uint8Array(buffer, content.byteOffset, content.byteLength) : new Uint8Array(content);
}

/** Returns true in Node, because only Node keeps the `Content-Length` of a streamed body. */
function canStreamRequests(): boolean {
	const process: unknown = Reflect.get(globalThis, "process");
	const versions = isRecord(process) ? process["versions"] : null;
	return isRecord(versions) && "node" in versions && !("bun" in versions || "deno" in versions || "WebSocketPair" in globalThis);
}

function streamOf(bytes: Uint8Array, onProgress: NonNullable<UploadOptions["onProgress"]>): ReadableStream<Uint8Array> {
	let sentBytes = 0;
	return new ReadableStream<Uint8Array>(
		{
			pull(controller) {
				if (sentBytes >= bytes.length) return controller.close();
				const chunk = bytes.subarray(sentBytes, sentBytes + CHUNK_BYTES);
				sentBytes += chunk.length;
				controller.enqueue(chunk);
				onProgress({ sentBytes, totalBytes: bytes.length });
			},
		},
		{ highWaterMark: 0 },
	);
}
