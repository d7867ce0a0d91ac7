// A streamed reply is put together as the whole reply that the supplier would have sent. The headers of a streamed reply come early, and a
// Worker waits for the headers of six responses at a time, so streamed calls do not wait for each other.
import { readEvents } from "../../../platform/read-events.ts";
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
	const reader = (body ?? new ReadableStream()).getReader();
	try {
		for await (const { data } of readEvents(reader, MAX_STREAM_BYTES)) {
			if (data !== "[DONE]") folded.add(JSON.parse(data));
		}
	} finally {
		await reader.cancel().catch(() => undefined);
	}
	const whole = folded.end();
	if (whole === null) throw new Error("The stream ended before the reply did.");
	return whole;
}
