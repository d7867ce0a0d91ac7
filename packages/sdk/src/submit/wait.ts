import type { Core } from "../core/core.ts";
import { Deadline, sleep } from "../core/deadline.ts";
import { BountyApiError, BountyConnectionError } from "../core/errors.ts";
import { type Connection, connect, parseEvent, reconnectDelayMs, STABLE_MS, type StreamEvent } from "../core/follow.ts";
import { isTransient } from "../core/retry.ts";
import type { Schemas } from "../core/schemas.ts";

type Submission = Schemas["Submission"];

export interface WaitOptions {
	readonly signal?: AbortSignal | undefined;
	/** For the whole wait, in milliseconds. Without it the wait has no end of its own. */
	readonly timeoutMs?: number | undefined;
	/** Called with the present state, and after each change. */
	readonly onProgress?: ((submission: Submission) => void) | undefined;
	/** Pause between two reads where no stream gets through, in milliseconds: 5,000 by default. */
	readonly pollMs?: number | undefined;
	/** How long to keep trying while the platform cannot be reached, in milliseconds: 300,000 by default. */
	readonly maxOutageMs?: number | undefined;
}

const POLL_MS = 5_000;
const MAX_OUTAGE_MS = 300_000;
/** A stream begins with the present state. If nothing comes, a proxy holds the response back. */
const FIRST_EVENT_MS = 15_000;
const MAX_STREAM_FAILURES = 2;
const POLLS_BETWEEN_STREAMS = 6;

/** Whether judging has ended, with or without a score. */
export function isOver({ status, evaluated }: Pick<Submission, "status" | "evaluated">): boolean {
	return status === "failed" || status === "evaluation_failed" || (status === "completed" && evaluated);
}

/**
 * Waits until judging has ended, over streams or by polling. It reads the submission after each connection is open, so that nothing
 * that happened between two connections is lost.
 *
 * @throws BountyTimeoutError after `timeoutMs`, BountyApiError when the submission may not be read, the last error after `maxOutageMs`.
 */
export async function waitForSubmission(core: Core, id: string, options: WaitOptions): Promise<Submission> {
	const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
	const deadline = new Deadline({ timeoutMs, signal, what: `Waiting for submission ${id}` });
	try {
		return await new Wait(core, id, { ...options, signal: deadline.signal }).run();
	} catch (error) {
		throw deadline.explain(error);
	} finally {
		deadline.close();
	}
}

class Wait {
	readonly #core: Core;
	readonly #id: string;
	readonly #options: WaitOptions;
	#lastEventId: string | undefined;
	#reported = "";
	#streamFailures = 0;
	#lostAt: number | null = null;

	constructor(core: Core, id: string, options: WaitOptions) {
		this.#core = core;
		this.#id = id;
		this.#options = options;
	}

	async run(): Promise<Submission> {
		const { signal, pollMs = POLL_MS } = this.#options;
		for (let round = 0, failures = 0; ; round += 1, failures += 1) {
			const startedAt = Date.now();
			const isStreaming = this.#streamFailures < MAX_STREAM_FAILURES || round % POLLS_BETWEEN_STREAMS === 0;
			let failure: unknown = null;
			try {
				const end = isStreaming ? await this.#stream() : await this.#read();
				if (end !== null) return end;
			} catch (error) {
				failure = error;
				this.#assertPassing(error);
			}
			if (Date.now() - startedAt > STABLE_MS) failures = 0;
			const isPolling = this.#streamFailures >= MAX_STREAM_FAILURES && failure === null;
			await sleep(isPolling ? pollMs : reconnectDelayMs(failure, { failures, retryMs: null }), signal);
		}
	}

	/** Follows one connection. Null when it ended before judging did. */
	async #stream(): Promise<Submission | null> {
		const connection = await this.#open();
		try {
			const state = await this.#read();
			if (state !== null || connection === null) return state;
			for await (const event of connection.events) {
				this.#lostAt = null;
				if (event === null) continue;
				const { data } = parseEvent<StreamEvent<string, Submission>>(event);
				this.#lastEventId = event.id;
				this.#streamFailures = 0;
				if (this.#report(data)) return data;
			}
		} catch (error) {
			// Reading works, so what failed here is the stream.
			if (isTransient(error)) this.#streamFailures += 1;
			throw error;
		} finally {
			connection?.close();
		}
		return null;
	}

	/** Null for a stream that cannot be opened here, or that has sent everything. */
	async #open(): Promise<Connection | null> {
		const { signal } = this.#options;
		const operation = { id: "streamSubmission", input: { path: { id: this.#id }, signal } } as const;
		try {
			const connection = await connect(this.#core, operation, { lastEventId: this.#lastEventId, firstMs: FIRST_EVENT_MS });
			if (connection.isOpen) return connection;
			// Judged again since: the next connection begins with the present state.
			this.#lastEventId = undefined;
			return null;
		} catch (error) {
			this.#streamFailures += 1;
			if (error instanceof BountyConnectionError || (error instanceof BountyApiError && error.code.startsWith("HTTP_"))) return null;
			throw error;
		}
	}

	/** Reads the state. Null while judging goes on. */
	async #read(): Promise<Submission | null> {
		const state = await this.#core.call("getSubmission", { path: { id: this.#id }, signal: this.#options.signal });
		this.#lostAt = null;
		return this.#report(state) ? state : null;
	}

	#report(state: Submission): boolean {
		const { status, evaluated, scores, waiting_for: waitingFor, error_message: message, iteration } = state;
		const shown = JSON.stringify([status, evaluated, scores, waitingFor, message, iteration]);
		if (shown !== this.#reported) {
			this.#reported = shown;
			this.#options.onProgress?.(state);
		}
		return isOver(state);
	}

	#assertPassing(error: unknown): void {
		const { signal, maxOutageMs = MAX_OUTAGE_MS } = this.#options;
		this.#lostAt ??= Date.now();
		if (signal?.aborted === true || !isTransient(error) || Date.now() - this.#lostAt >= maxOutageMs) throw error;
	}
}
