import type { Core } from "../core/core.ts";
import { Deadline, sleep } from "../core/deadline.ts";
import { BountyApiError, BountyConnectionError } from "../core/errors.ts";
import { type Connection, connect, Outage, reconnectDelayMs, STABLE_MS } from "../core/follow.ts";
import { isTransient } from "../core/retry.ts";
import type { GetSubmissionResult, StreamSubmissionEvent } from "../generated/methods.ts";

type Submission = GetSubmissionResult;

export interface WaitOptions {
	readonly signal?: AbortSignal | undefined;
	/** The limit of the whole wait in milliseconds. By default there is no limit. */
	readonly timeoutMs?: number | undefined;
	/** Called with the current state, and after each change. */
	readonly onProgress?: ((submission: Submission) => void) | undefined;
	/** The pause between two reads if no stream gets through, in milliseconds: 5,000 by default. */
	readonly pollMs?: number | undefined;
	/** How long the platform may be unreachable before this gives up, in milliseconds: 300,000 by default. */
	readonly maxOutageMs?: number | undefined;
}

const POLL_MS = 5_000;
/** A stream begins with the current state. If nothing arrives in this time, a proxy is holding the response back. */
const FIRST_EVENT_MS = 15_000;
const MAX_STREAM_FAILURES = 2;
const POLLS_BETWEEN_STREAMS = 6;

/** Returns true if judging has ended, with or without a score. */
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
	/** The server asks to wait this long after a broken connection, so that watchers do not all reconnect at once. */
	#retryMs: number | null = null;
	readonly #outage: Outage;

	constructor(core: Core, id: string, options: WaitOptions) {
		this.#core = core;
		this.#id = id;
		this.#options = options;
		this.#outage = new Outage(options.maxOutageMs, options.signal);
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
				this.#outage.assertPassing(error);
			}
			if (Date.now() - startedAt > STABLE_MS) failures = 0;
			const isPolling = this.#streamFailures >= MAX_STREAM_FAILURES && failure === null;
			await sleep(isPolling ? pollMs : reconnectDelayMs(failure, { failures, retryMs: this.#retryMs }), signal);
		}
	}

	/** Follows one connection. Returns null if it ended before judging did. */
	async #stream(): Promise<Submission | null> {
		const connection = await this.#open();
		try {
			const state = await this.#read();
			if (state !== null || connection === null) return state;
			for await (const event of connection.events) {
				this.#outage.end();
				if (event === null) continue;
				this.#lastEventId = event.id;
				this.#streamFailures = 0;
				if (this.#report(event.data)) return event.data;
			}
		} catch (error) {
			// Reading works, so only the stream has failed.
			if (isTransient(error)) this.#streamFailures += 1;
			throw error;
		} finally {
			await connection?.events.return();
		}
		return null;
	}

	/** Returns null if the stream has sent everything, or if it cannot be opened, for example because of a proxy. */
	async #open(): Promise<Connection<StreamSubmissionEvent> | null> {
		const { signal } = this.#options;
		try {
			const connection = await connect<StreamSubmissionEvent>(
				(input, firstMs) => this.#core.open("streamSubmission", { path: { id: this.#id }, ...input }, firstMs),
				{
					...{ lastEventId: this.#lastEventId, signal, firstMs: FIRST_EVENT_MS },
					onRetry: (ms) => {
						this.#retryMs = ms;
					},
				},
			);
			if (connection.isOpen) return connection;
			// The submission has been judged again, so the next connection begins with the current state.
			this.#lastEventId = undefined;
			return null;
		} catch (error) {
			this.#streamFailures += 1;
			if (error instanceof BountyConnectionError || (error instanceof BountyApiError && error.code.startsWith("HTTP_"))) return null;
			throw error;
		}
	}

	/** Reads the state, and returns null while judging continues. */
	async #read(): Promise<Submission | null> {
		const state = await this.#core.call<Submission>("getSubmission", { path: { id: this.#id }, signal: this.#options.signal });
		this.#outage.end();
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
}
