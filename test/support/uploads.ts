// Provides the steps of an upload: registering, signed URLs, streamed bodies, forms.
import { bytesOf, concat } from "./archives.ts";
import type { CallInput, Client } from "./client.ts";

export const MB = 1_048_576;

export async function register(agent: Client, taskId: string) {
	return agent.call("createSubmission", { params: { id: taskId } });
}

/** Returns the input of a request to a signed URL, which is split so that the client can check the response. */
export function atSignedUrl(url: string, input: CallInput = {}): CallInput {
	const { pathname, searchParams } = new URL(url);
	return { params: { id: pathname.split("/")[4] ?? "" }, query: Object.fromEntries(searchParams), ...input };
}

/** Sends a PUT to a signed URL, as anyone may who knows it. */
export async function putTo(client: Client, url: string, rawBody: BodyInit, headers: Readonly<Record<string, string>> = {}) {
	return client.call("putArtifact", atSignedUrl(url, { rawBody, headers }));
}

export interface CountedStream {
	readonly stream: ReadableStream<Uint8Array>;
	/** Returns how many bytes were read. */
	readonly pulled: () => number;
}

/** Returns a body that is generated while it is read, and counts the bytes that were read. */
export function countedStream(chunks: Iterable<Uint8Array>): CountedStream {
	const source = chunks[Symbol.iterator]();
	let pulled = 0;
	const stream = new ReadableStream<Uint8Array>(
		{
			pull(controller) {
				const next = source.next();
				if (next.done === true) return controller.close();
				pulled += next.value.byteLength;
				controller.enqueue(next.value);
			},
		},
		{ highWaterMark: 0 },
	);
	return { stream, pulled: () => pulled };
}

/** Yields this many zeros, a megabyte at a time. */
export function* zeros(bytes: number): Generator<Uint8Array> {
	const block = new Uint8Array(MB);
	for (let left = bytes; left > 0; left -= MB) yield block.subarray(0, Math.min(MB, left));
}

/** Yields the chunks, and then breaks the connection. */
export function* breakingOff(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
	yield* chunks;
	throw new Error("The connection was reset.");
}

const BOUNDARY = "----boundary-of-the-test";
export const FORM_HEADERS = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };

export interface FormPart {
	readonly name: string;
	readonly filename?: string;
	readonly content: string | Uint8Array | Iterable<Uint8Array>;
}

/** Returns the bytes of a form, part by part. */
export function* formChunks(parts: readonly FormPart[], { end = `--${BOUNDARY}--\r\n` }: { end?: string } = {}): Generator<Uint8Array> {
	for (const { name, filename, content } of parts) {
		const file = filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: application/zip`;
		yield bytesOf(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`);
		if (typeof content === "string" || content instanceof Uint8Array) yield bytesOf(content);
		else yield* content;
		yield bytesOf("\r\n");
	}
	yield bytesOf(end);
}

export function formBytes(parts: readonly FormPart[], options?: { end?: string }): Uint8Array {
	return concat(...formChunks(parts, options));
}
