// Server-sent events over fetch, because EventSource cannot send a key. Resumes with Last-Event-ID.
import { requestHeaders } from "./client.ts";
import { type ApiError, toApiError } from "./error.ts";
import { createEventParser, type StreamEvent } from "./stream-parser.ts";

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

export type StreamStatus = "connecting" | "live" | "waiting" | "ended" | "failed";

export interface StreamListener {
	onEvent(event: StreamEvent): void;
	onStatus(status: StreamStatus, error: ApiError | null): void;
}

/**
 * Follows a stream until `signal` aborts, the platform says that it has ended (204, or the event `terminal`), or rejects it (4xx).
 * Everything else is a lost connection: it reconnects after a wait that doubles up to 30 s.
 */
export async function followStream(path: string, listener: StreamListener, signal: AbortSignal): Promise<void> {
	let waitMs = FIRST_WAIT_MS;
	let hasEnded = false;
	const parse = createEventParser((event) => {
		waitMs = FIRST_WAIT_MS;
		hasEnded ||= event.event === "terminal";
		listener.onEvent(event);
	});
	listener.onStatus("connecting", null);
	while (!signal.aborted) {
		const outcome = await readOnce({ path, parse, onOpen: () => listener.onStatus("live", null), signal });
		parse.reset();
		if (signal.aborted) return;
		if (hasEnded || outcome === "ended") return listener.onStatus("ended", null);
		if (typeof outcome === "object" && !isTemporary(outcome)) return listener.onStatus("failed", outcome);
		listener.onStatus("waiting", null);
		const advisedMs = typeof outcome === "object" ? (outcome.facts.retryAfterSeconds ?? 0) * 1000 : 0;
		await pause(Math.max(waitMs * (0.75 + jitter() / 2), advisedMs), signal);
		waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
	}
}

function isTemporary({ facts: { status } }: ApiError): boolean {
	return status === 429 || status >= 500;
}

interface Reading {
	readonly path: string;
	readonly parse: ReturnType<typeof createEventParser>;
	readonly onOpen: () => void;
	readonly signal: AbortSignal;
}

/** Reads one connection to its end. */
async function readOnce({ path, parse, onOpen, signal }: Reading): Promise<"ended" | "lost" | ApiError> {
	try {
		const lastEventId = parse.lastEventId();
		const headers = {
			Accept: "text/event-stream",
			...requestHeaders(true),
			...(lastEventId === null ? {} : { "Last-Event-ID": lastEventId }),
		};
		const response = await fetch(path, { headers, signal });
		if (response.status === 204) return "ended";
		if (!response.ok || response.body === null) return toApiError(response, await response.json().catch(() => null));
		onOpen();
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		for (let part = await reader.read(); !part.done; part = await reader.read()) parse(part.value);
		return "lost";
	} catch {
		return "lost";
	}
}

/** A number from 0 to 1, so that many tabs do not reconnect in the same moment. */
function jitter(): number {
	return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	await new Promise<void>((resolve) => {
		const stop = () => {
			clearTimeout(timer);
			signal.removeEventListener("abort", stop);
			resolve();
		};
		const timer = setTimeout(stop, ms);
		signal.addEventListener("abort", stop);
	});
}
