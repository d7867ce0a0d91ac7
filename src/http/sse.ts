import type { Clock } from "../platform/clock.ts";
import { leaveStreamPlace } from "./stream-places.ts";

/** The writer of an open event stream has this. */
export interface EventSink {
	send(event: {
		readonly event: string;
		readonly id: string;
		/** The data is one line of JSON. */
		readonly json: string;
	}): void;
	/** Moves the id that a client resumes after. The next comment carries it if nothing else is sent before. */
	advance(id: string): void;
	/** Ends the stream, so the client comes back with its last id. A second call does nothing. */
	end(): void;
}

/** Clients wait for a random time between these, so that watchers whose connections broke together do not come back together. */
const RETRY_MS = { least: 1_000, most: 3_000 };
export const HEARTBEAT_MS = 15_000;
export const MAX_STREAM_MS = 270_000;
const END_JITTER_MS = 30_000;
/** The stream ends when a slow client has not read this much. The client resumes. */
const MAX_BUFFERED_BYTES = 262_144;

/**
 * Opens a `text/event-stream` response and the sink that feeds it. Contract: "Streams".
 *
 * @param random From 0 to 1. It spreads the ends of streams that began together, and their reconnects.
 * @param request Its place among the open streams is free again when the stream ends.
 * @param onEnd Is called once, when the client has gone or the stream has ended.
 */
export function openEventStream({
	clock,
	random,
	request,
	onEnd,
}: {
	readonly clock: Clock;
	readonly random: number;
	readonly request: Request;
	readonly onEnd: () => void;
}): { response: Response; sink: EventSink } {
	const encoder = new TextEncoder();
	let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
	let unsentId: string | null = null;
	const write = (text: string) => {
		controller?.enqueue(encoder.encode(text));
		if (controller !== null && (controller.desiredSize ?? 0) < -MAX_BUFFERED_BYTES) end();
	};
	const writeId = () => {
		if (unsentId !== null) write(`id: ${unsentId}\n\n`);
		unsentId = null;
	};
	const stopHeartbeat = clock.every(HEARTBEAT_MS, () => {
		writeId();
		write(": still here\n\n");
	});
	const stopTimer = clock.after(MAX_STREAM_MS - random * END_JITTER_MS, () => {
		writeId();
		end();
	});
	const finish = () => {
		const wasOpen = controller;
		controller = null;
		if (wasOpen === null) return null;
		stopHeartbeat();
		stopTimer();
		leaveStreamPlace(request);
		onEnd();
		return wasOpen;
	};
	function end(): void {
		finish()?.close();
	}
	const body = new ReadableStream<Uint8Array>(
		{
			start(opened) {
				controller = opened;
				write(`retry: ${Math.round(RETRY_MS.least + random * (RETRY_MS.most - RETRY_MS.least))}\n\n`);
			},
			cancel() {
				finish();
			},
		},
		new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
	);
	const sink: EventSink = {
		send({ event, id, json }) {
			unsentId = null;
			write(`event: ${event}\nid: ${id}\ndata: ${json}\n\n`);
		},
		advance(id) {
			unsentId = id;
		},
		end,
	};
	return { response: new Response(body, { headers: STREAM_HEADERS }), sink };
}

/** Responds to HEAD. It opens no stream, because the client would not read it. */
export function headEventStream(): Response {
	return new Response(null, { headers: STREAM_HEADERS });
}

/** With these, proxies pass every event on at once. */
const STREAM_HEADERS = {
	"Content-Type": "text/event-stream; charset=utf-8",
	"Cache-Control": "no-store, no-transform",
	"X-Accel-Buffering": "no",
};
