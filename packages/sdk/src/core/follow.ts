// Streams that go on after the connection broke.
import { decodeText, openBody } from "./body-stream.ts";
import type { Core, Input } from "./core.ts";
import { sleep } from "./deadline.ts";
import { BountyApiError, BountyConnectionError, parseEnvelope } from "./errors.ts";
import { trustDocument } from "./json.ts";
import type { OperationId } from "./operation-types.ts";
import { backoffMs, isTransient } from "./retry.ts";
import { parseSse, type ServerSentEvent } from "./sse.ts";

/** A comment comes every 20 s, so a stream that is silent for 60 s is dead. */
const IDLE_MS = 60_000;
const MAX_OUTAGE_MS = 300_000;
/** A connection that lives longer than this proves that the network works again. */
export const STABLE_MS = 10_000;
/** Codes of `error` events after which connecting again can help. */
const PASSING_CODES = new Set(["INTERNAL_ERROR", "OVERLOADED", "RATE_LIMITED", "SERVICE_BUSY"]);

export interface FollowOptions {
	/** Ends the stream. The iteration then throws the signal's reason. */
	readonly signal?: AbortSignal | undefined;
	/** Continues after this event of an earlier connection. */
	readonly lastEventId?: string | undefined;
	/** How long to keep trying while the platform cannot be reached, in milliseconds: 300,000 by default. */
	readonly maxOutageMs?: number | undefined;
	/** Called for each connection that broke or could not be opened. */
	readonly onReconnect?: ((error: unknown) => void) | undefined;
}

/** One event of a stream, with its data parsed. */
export interface StreamEvent<Type extends string, Data> {
	readonly type: Type;
	/** Continue after this event with `lastEventId`. */
	readonly id: string;
	readonly data: Data;
}

/** What one connection to a stream gives. */
export interface Connection {
	/** False for 204: everything was sent before. */
	readonly isOpen: boolean;
	readonly events: AsyncIterable<ServerSentEvent | null>;
	/** Milliseconds that the server asked to wait before connecting again. */
	retryMs(): number | null;
	close(): void;
}

/** Opens one connection. `null` among the events is a sign of life. `error` events throw. */
export async function connect(
	core: Core,
	operation: Operation,
	{ lastEventId, firstMs = IDLE_MS }: { lastEventId?: string | undefined; firstMs?: number },
): Promise<Connection> {
	const headers = { Accept: "text/event-stream", "Last-Event-ID": lastEventId === "" ? undefined : lastEventId };
	const input = { ...operation.input, headers, maxRetries: 0 };
	const { status, headers: received, chunks, close } = await core.send(operation.id, { input }, openBody({ idleMs: IDLE_MS, firstMs }));
	const isStream = (received.get("Content-Type") ?? "").startsWith("text/event-stream");
	if (!isStream) close();
	if (!isStream && status !== 204) throw new BountyConnectionError("The response is not a stream of server-sent events.");
	let retryMs: number | null = null;
	async function* events(): AsyncGenerator<ServerSentEvent | null, void, undefined> {
		for await (const block of parseSse(decodeText(chunks))) {
			retryMs = block.retryMs ?? retryMs;
			if (block.event?.type === "error") throw toError(block.event);
			yield block.event;
		}
	}
	return { isOpen: status !== 204, events: events(), retryMs: () => retryMs, close };
}

function toError({ data }: ServerSentEvent): Error {
	const fields = parseEnvelope(data);
	if (fields === null) return new BountyConnectionError("The stream ended with an error that cannot be read.");
	if (PASSING_CODES.has(fields.code)) return new BountyConnectionError(`The stream ended: ${fields.message}`);
	return new BountyApiError({ ...fields, status: 200 });
}

/** What is kept from one connection to the next. */
interface Progress {
	lastEventId: string | undefined;
	/** When the platform was reached last, if it cannot be reached now. */
	lostAt: number | null;
	retryMs: number | null;
}

interface Operation {
	readonly id: OperationId;
	readonly input: Input;
}

/**
 * All events up to and including `terminal`, over as many connections as it takes. Each connection continues after the last event; if
 * the platform no longer has that event, it sends the present state.
 *
 * @throws BountyApiError when the stream may not be read, or the last connection's error after `maxOutageMs`.
 */
export async function* follow<Event extends StreamEvent<string, unknown>>(
	core: Core,
	operation: Operation,
	options: FollowOptions,
): AsyncGenerator<Event, void, undefined> {
	const { signal, onReconnect, lastEventId } = options;
	const progress: Progress = { lastEventId, lostAt: null, retryMs: null };
	const followed = { ...operation, input: { ...operation.input, signal } };
	for (let failures = 0; ; failures += 1) {
		const startedAt = Date.now();
		let failure: unknown = null;
		try {
			if (yield* followOnce<Event>(core, followed, progress)) return;
		} catch (error) {
			assertPassing(error, progress, options);
			failure = error;
		}
		if (Date.now() - startedAt > STABLE_MS) failures = 0;
		onReconnect?.(failure);
		await sleep(reconnectDelayMs(failure, { failures, retryMs: progress.retryMs }), signal);
	}
}

/** The events of one connection. Returns whether the stream is complete. */
async function* followOnce<Event extends StreamEvent<string, unknown>>(
	core: Core,
	operation: Operation,
	progress: Progress,
): AsyncGenerator<Event, boolean, undefined> {
	const connection = await connect(core, operation, { lastEventId: progress.lastEventId });
	if (!connection.isOpen) return true;
	for await (const event of connection.events) {
		progress.lostAt = null;
		progress.retryMs = connection.retryMs();
		if (event === null) continue;
		const parsed = parseEvent<Event>(event);
		if (event.id !== "") progress.lastEventId = event.id;
		yield parsed;
		if (event.type === "terminal") return true;
	}
	return false;
}

/** Throws what connecting again cannot mend. */
function assertPassing(error: unknown, progress: Progress, { signal, maxOutageMs = MAX_OUTAGE_MS }: FollowOptions): void {
	progress.lostAt ??= Date.now();
	if (signal?.aborted === true || !isTransient(error) || Date.now() - progress.lostAt >= maxOutageMs) throw error;
}

/** The first reconnect is quick, because streams also end by themselves every few minutes. */
export function reconnectDelayMs(failure: unknown, { failures, retryMs }: { failures: number; retryMs: number | null }): number {
	if (failure instanceof BountyApiError && failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * 1000 + backoffMs(0);
	if (failures === 0) return backoffMs(0);
	return Math.max((retryMs ?? 0) * (0.5 + Math.random() / 2), backoffMs(failures));
}

/** The data of an event is JSON on one line. */
export function parseEvent<Event extends StreamEvent<string, unknown>>({ type, id, data }: ServerSentEvent): Event {
	let parsed: unknown;
	try {
		parsed = JSON.parse(data);
	} catch (error) {
		throw new BountyConnectionError("The data of an event is not JSON.", { cause: error });
	}
	return trustDocument<Event>({ type, id, data: parsed });
}
