import type { Clock } from "../platform/clock.ts";
import { leaveStreamPlace } from "./stream-places.ts";

export interface SentEvent {
	readonly event: string;
	readonly id: string;
	/** The data of the event, as JSON on one line. */
	readonly json: string;
}

/** The writing end of an open event stream. */
export interface EventSink {
	send(event: SentEvent): void;
	/**
	 * Sends this event with the next heartbeat or before the stream ends, unless another event comes first. A client can resume from its id.
	 */
	advance(event: SentEvent): void;
	/** Ends the stream, so that the client reconnects with its last id. Calling it again does nothing. */
	end(): void;
}

/**
 * The range of the random wait before a client reconnects after a broken connection. A deployment or restart breaks the connections of all
 * watchers at once, and each reconnect costs reads.
 */
const RETRY_AFTER_BREAK_MS = { least: 2_000, most: 30_000 };
/** The range of the wait after a normal end of the stream. It is shorter, because these ends are already spread out. */
const RETRY_AFTER_END_MS = { least: 1_000, most: 3_000 };
export const HEARTBEAT_MS = 15_000;
export const MAX_STREAM_MS = 270_000;
export const END_JITTER_MS = 30_000;
/** If a slow client leaves more than this unread, the stream ends, and the client resumes. */
export const MAX_BUFFERED_BYTES = 262_144;

interface StreamOptions {
	readonly clock: Clock;
	/** A number from 0 to 1 that spreads out the ends and reconnects of streams that began together. */
	readonly random: number;
	/** The request whose place among the open streams is released when the stream ends. */
	readonly request: Request;
	/** Called once, when the client has gone or the stream ends. */
	readonly onEnd: () => void;
}

/** Opens a `text/event-stream` response and the sink that feeds it. */
export function openEventStream(options: StreamOptions): { response: Response; sink: EventSink } {
	const stream = new EventStream(options);
	return { response: new Response(stream.body, { headers: STREAM_HEADERS }), sink: stream };
}

/**
 * Formats the field that sets the wait before a reconnect. No empty line ends it, because some clients deliver even a block without data.
 */
function formatRetry({ least, most }: { readonly least: number; readonly most: number }, random: number): string {
	return `retry: ${Math.round(least + random * (most - least))}\n`;
}

const encoder = new TextEncoder();

class EventStream implements EventSink {
	readonly body: ReadableStream<Uint8Array>;
	readonly #finish: () => void;
	#controller: ReadableStreamDefaultController<Uint8Array> | null = null;
	#unsent: SentEvent | null = null;

	constructor({ clock, random, request, onEnd }: StreamOptions) {
		const stopHeartbeat = clock.every(HEARTBEAT_MS, () => {
			this.#sendAdvance();
			this.#write(": still here\n");
		});
		const stopTimer = clock.after(MAX_STREAM_MS - random * END_JITTER_MS, () => {
			this.#sendAdvance();
			this.#write(formatRetry(RETRY_AFTER_END_MS, random));
			this.end();
		});
		this.#finish = () => {
			this.#controller = null;
			stopHeartbeat();
			stopTimer();
			leaveStreamPlace(request);
			onEnd();
		};
		this.body = new ReadableStream<Uint8Array>(
			{
				start: (controller) => {
					this.#controller = controller;
					this.#write(formatRetry(RETRY_AFTER_BREAK_MS, random));
				},
				cancel: () => {
					if (this.#controller !== null) this.#finish();
				},
			},
			new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
		);
	}

	send({ event, id, json }: SentEvent): void {
		this.#unsent = null;
		this.#write(`event: ${event}\nid: ${id}\ndata: ${json}\n\n`);
	}

	advance(event: SentEvent): void {
		this.#unsent = event;
	}

	end(): void {
		const controller = this.#controller;
		if (controller === null) return;
		this.#finish();
		controller.close();
	}

	#write(text: string): void {
		this.#controller?.enqueue(encoder.encode(text));
		if (this.#controller !== null && (this.#controller.desiredSize ?? 0) < -MAX_BUFFERED_BYTES) this.end();
	}

	#sendAdvance(): void {
		if (this.#unsent !== null) this.send(this.#unsent);
	}
}

/** Responds to a HEAD request without opening a stream, because the client would not read it. */
export function headEventStream(): Response {
	return new Response(null, { headers: STREAM_HEADERS });
}

/** Headers that make proxies forward every event immediately. */
const STREAM_HEADERS = {
	"Content-Type": "text/event-stream; charset=utf-8",
	"Cache-Control": "no-store, no-transform",
	"X-Accel-Buffering": "no",
};
