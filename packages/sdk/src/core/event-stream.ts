// Reads text/event-stream.
import { createParser } from "eventsource-parser";

/** An event as it was sent. */
export interface ServerSentEvent {
	/** `message` for an event without a name. */
	readonly type: string;
	readonly id: string;
	readonly data: string;
}

interface Listeners {
	/** Called for each id, even without data. */
	readonly onId?: (id: string) => void;
	/** Called with the number of milliseconds that the server asks to wait before reconnecting. */
	readonly onRetry?: (ms: number) => void;
}

/**
 * Yields the events of a response as they arrive. `null` is a comment, which proves that the connection works. Stopping early closes it.
 */
export async function* readEvents(
	response: Response,
	{ onId, onRetry }: Listeners = {},
): AsyncGenerator<ServerSentEvent | null, void, undefined> {
	const arrived: (ServerSentEvent | null)[] = [];
	const parser = createParser({
		onEvent: ({ event = "message", id = "", data }) => arrived.push({ type: event, id, data }),
		onComment: () => arrived.push(null),
		onId,
		onRetry,
	});
	const decoder = new TextDecoder();
	for await (const piece of readPieces(response)) {
		parser.feed(decoder.decode(piece, { stream: true }));
		yield* arrived.splice(0);
	}
}

/** Yields the pieces of a body as they arrive. Stopping early closes the connection. */
export async function* readPieces({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
	const reader = body?.getReader();
	if (reader === undefined) return;
	try {
		for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
	} finally {
		await reader.cancel().catch(() => {});
	}
}
