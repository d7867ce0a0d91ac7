// A streamed reply is put together as the whole reply that the supplier would have sent. The headers of a streamed reply come early, and a
// Worker waits for the headers of six responses at a time, so streamed calls do not wait for each other.
import type { Protocol } from "./protocol.ts";

/** A token of a streamed reply takes some hundred bytes. */
const MAX_STREAM_BYTES = 64 * 1_048_576;

export function isStreamed({ headers }: Response): boolean {
	return headers.get("Content-Type")?.toLowerCase().startsWith("text/event-stream") === true;
}

/**
 * Reads a stream to its end.
 *
 * @throws Error if it broke off, if the supplier reports an error in it, or if it is too long.
 */
export async function readStreamed({ body }: Response, protocol: Protocol): Promise<unknown> {
	const folded = protocol.fold();
	for await (const data of readData(body ?? new ReadableStream())) {
		if (data !== "[DONE]") folded.add(JSON.parse(data));
	}
	const whole = folded.end();
	if (whole === null) throw new Error("The stream ended before the reply did.");
	return whole;
}

/** Yields the data of each event. */
async function* readData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.byteLength;
		if (bytes > MAX_STREAM_BYTES) throw new Error(`The stream has more than ${MAX_STREAM_BYTES} bytes.`);
		const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
		rest = lines.pop() ?? "";
		for (const line of lines) if (line.startsWith("data:")) yield line.slice("data:".length).trim();
	}
	if (rest.startsWith("data:")) yield rest.slice("data:".length).trim();
}
