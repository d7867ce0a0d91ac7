// Follows event streams, and reconnects when a connection breaks.
import { sleep } from "./deadline.ts";
import { BountyApiError, BountyConnectionError, parseEnvelope } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import { trustDocument } from "./json.ts";
import { backoffMs, isTransient } from "./retry.ts";

const MAX_OUTAGE_MS = 300_000;
/** A connection that lives longer than this proves that the network works again. */
export const STABLE_MS = 10_000;
/** After an `error` event with one of these codes, reconnecting can help. */
const PASSING_CODES = new Set(["INTERNAL_ERROR", "OVERLOADED", "RATE_LIMITED", "SERVICE_BUSY"]);

export interface FollowOptions {
	/** Ends the stream. The iteration then throws the signal's reason. */
	readonly signal?: AbortSignal | undefined;
	/** Continues after this event of an earlier connection. */
	readonly lastEventId?: string | undefined;
	/** How long the platform may be unreachable before this gives up, in milliseconds: 300,000 by default. */
	readonly maxOutageMs?: number | undefined;
	/** Called for each connection that opens. */
	readonly onOpen?: (() => void) | undefined;
	/** Called for each connection that breaks or cannot be opened. */
	readonly onReconnect?: ((error: unknown) => void) | undefined;
}

/** One event of a stream, with its data parsed. */
export interface StreamEvent<Type extends string, Data> {
	readonly type: Type;
	/** Pass it as `lastEventId` to continue after this event. */
	readonly id: string;
	readonly data: Data;
}

/** Opens a response. The first piece of its body must come within `firstMs`. */
export type Open = (
	input: {
		readonly headers: Readonly<Record<string, string | undefined>>;
		readonly signal: AbortSignal | undefined;
		readonly maxRetries: 0;
	},
	firstMs?: number,
) => Promise<Response>;

export interface Connection<Event> {
	/** False for 204, because everything has been sent. */
	readonly isOpen: boolean;
	/** `null` among the events proves that the connection works. */
	readonly events: AsyncGenerator<Event | null, void, undefined>;
	/** Returns the id of the last event, after which the next connection continues. */
	lastEventId(): string | undefined;
}

interface ConnectOptions {
	readonly lastEventId: string | undefined;
	readonly signal: AbortSignal | undefined;
	readonly firstMs?: number;
	/** Called with the number of milliseconds that the server asks to wait before reconnecting. */
	readonly onRetry: (ms: number) => void;
}

/** Opens one connection, and throws its `error` events. */
export async function connect<Event>(open: Open, { lastEventId, signal, firstMs, onRetry }: ConnectOptions): Promise<Connection<Event>> {
	const headers = { Accept: "text/event-stream", "Last-Event-ID": lastEventId === "" ? undefined : lastEventId };
	const response = await open({ headers, signal, maxRetries: 0 }, firstMs);
	const isStream = (response.headers.get("Content-Type") ?? "").startsWith("text/event-stream");
	if (!isStream && response.status !== 204) {
		await response.body?.cancel();
		throw new BountyConnectionError("The response is not a stream of server-sent events.");
	}
	let lastId = lastEventId;
	const received = readEvents(response, {
		onId: (id) => {
			lastId = id;
		},
		onRetry,
	});
	async function* events(): AsyncGenerator<Event | null, void, undefined> {
		for await (const event of received) {
			if (event?.type === "error") throw toError(event.data);
			yield event === null ? null : trustDocument<Event>({ ...event, data: parseEventData(event.data) });
		}
	}
	return { isOpen: response.status !== 204, events: events(), lastEventId: () => lastId };
}

function toError(data: string): Error {
	const fields = parseEnvelope(data);
	if (fields === null) return new BountyConnectionError("The stream ended with an error that cannot be read.");
	if (PASSING_CODES.has(fields.code)) return new BountyConnectionError(`The stream ended: ${fields.message}`);
	return new BountyApiError({ ...fields, status: 200 });
}

/** Parses the data of an event, which is JSON on one line. */
function parseEventData(data: string): unknown {
	try {
		return JSON.parse(data);
	} catch (error) {
		throw new BountyConnectionError("The data of an event is not JSON.", { cause: error });
	}
}

/**
 * Yields all events up to and including `terminal`, over as many connections as it takes.
 * Each connection continues after the last event; if the platform no longer has that event, it sends the current state.
 *
 * @throws BountyApiError when the stream may not be read, or the last connection's error after `maxOutageMs`.
 */
export async function* follow<Event extends StreamEvent<string, unknown>>(
	open: Open,
	options: FollowOptions,
): AsyncGenerator<Event, void, undefined> {
	const { signal, onOpen, onReconnect, maxOutageMs = MAX_OUTAGE_MS } = options;
	const outage = new Outage(maxOutageMs, signal);
	let { lastEventId } = options;
	let retryMs: number | null = null;
	const onRetry = (ms: number) => {
		retryMs = ms;
	};
	for (let failures = 0; ; failures += 1) {
		const startedAt = Date.now();
		let failure: unknown = null;
		try {
			const connection = await connect<Event>(open, { lastEventId, signal, onRetry });
			if (!connection.isOpen) return;
			onOpen?.();
			for await (const event of connection.events) {
				outage.end();
				lastEventId = connection.lastEventId();
				if (event !== null) yield event;
				if (event?.type === "terminal") return;
			}
		} catch (error) {
			outage.assertPassing(error);
			failure = error;
		}
		if (Date.now() - startedAt > STABLE_MS) failures = 0;
		onReconnect?.(failure);
		await sleep(reconnectDelayMs(failure, { failures, retryMs }), signal);
	}
}

/** Measures how long the platform has been unreachable. */
export class Outage {
	readonly #maxMs: number;
	readonly #signal: AbortSignal | undefined;
	#since: number | null = null;

	constructor(maxMs: number = MAX_OUTAGE_MS, signal?: AbortSignal) {
		this.#maxMs = maxMs;
		this.#signal = signal;
	}

	/** Records that the platform was reached. */
	end(): void {
		this.#since = null;
	}

	/** Throws the error if a later attempt cannot succeed, or if the platform has been unreachable for the longest time that is allowed. */
	assertPassing(error: unknown): void {
		this.#since ??= Date.now();
		if (this.#signal?.aborted === true || !isTransient(error) || Date.now() - this.#since >= this.#maxMs) throw error;
	}
}

/**
 * Returns the pause before the next connection, in milliseconds. With `retry`, the server spreads the first reconnects: over 2 to 30
 * seconds if the connection broke, because a deployment breaks many at once, and over 1 to 3 seconds after a stream that ended normally.
 */
export function reconnectDelayMs(failure: unknown, { failures, retryMs }: { failures: number; retryMs: number | null }): number {
	if (failure instanceof BountyApiError && failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * 1000 + backoffMs(0);
	return Math.max(retryMs ?? 0, backoffMs(failures));
}
