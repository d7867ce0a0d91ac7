// Combines one attempt's time limit with the caller's signal.
import { BountyConnectionError, BountyError, BountyTimeoutError } from "./errors.ts";

/** A timer with a longer time fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface DeadlineOptions {
	readonly timeoutMs: number;
	readonly signal?: AbortSignal | undefined;
	/** What errors call the attempt, such as `GET /health`. */
	readonly what: string;
}

/** Returns the reason of a signal in a form that can be thrown. */
function reasonOf(signal: AbortSignal): unknown {
	return signal.reason ?? new DOMException("The call was aborted.", "AbortError");
}

/**
 * Aborts `signal` when the time is over or the caller cancels. `AbortSignal.any` would do the same, but in some runtimes it never removes
 * its listener from the caller's signal, which may live as long as the program.
 */
export class Deadline {
	readonly #controller = new AbortController();
	readonly #options: DeadlineOptions;
	readonly #onAbort: () => void;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#isLate = false;

	constructor(options: DeadlineOptions) {
		this.#options = options;
		this.#onAbort = () => this.#controller.abort(options.signal === undefined ? undefined : reasonOf(options.signal));
		if (options.signal?.aborted === true) throw reasonOf(options.signal);
		options.signal?.addEventListener("abort", this.#onAbort, { once: true });
		this.restart();
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** Restarts the clock, optionally with another limit. */
	restart(timeoutMs: number = this.#options.timeoutMs): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(
			() => {
				this.#isLate = true;
				this.#controller.abort(new DOMException("The time is over.", "TimeoutError"));
			},
			Math.min(timeoutMs, MAX_TIMER_MS),
		);
	}

	/** Stops the request if it is still running, and stops listening to the caller's signal. */
	close(): void {
		clearTimeout(this.#timer);
		this.#options.signal?.removeEventListener("abort", this.#onAbort);
		this.#controller.abort();
	}

	/** Stops the clock until the next `restart`. The caller's signal still counts. */
	pause(): void {
		clearTimeout(this.#timer);
	}

	/** Returns the error to throw for an error of `fetch` or of a body. */
	explain(error: unknown): unknown {
		const { signal, timeoutMs, what } = this.#options;
		if (signal?.aborted === true) return reasonOf(signal);
		if (this.#isLate) return new BountyTimeoutError(`${what} got no complete response within ${timeoutMs} ms.`, timeoutMs);
		if (isNetworkFailure(error)) return new BountyConnectionError(`${what} failed: ${causeOf(error)}`, { cause: error });
		return error;
	}
}

/** Returns true for a TypeError, with which `fetch` rejects, and for the errors of an interrupted body. */
function isNetworkFailure(error: unknown): error is Error {
	if (!(error instanceof Error) || error instanceof BountyError) return false;
	return error instanceof TypeError || error instanceof DOMException || "code" in error;
}

/** Returns the cause, because Node's message is only "fetch failed". */
function causeOf(error: Error): string {
	const { cause } = error;
	return cause instanceof Error && cause.message !== "" ? `${error.message} (${cause.message})` : error.message;
}

/** Resolves after a time. Rejects with the signal's reason if it is aborted first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted === true) {
			reject(reasonOf(signal));
			return;
		}
		const onAbort = () => {
			clearTimeout(timer);
			if (signal !== undefined) reject(reasonOf(signal));
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", onAbort);
			resolve();
		}, ms);
		signal?.addEventListener("abort", onAbort, { once: true });
	});
}
