// Limits the number of parallel calls to one model, so that calls queue here instead of at the server. Each isolate counts only its own
// calls. Those of other isolates make the server slower, but do no other harm.
import { HOUR_MS, SECOND_MS } from "../../../platform/clock.ts";

export interface Gate {
	/**
	 * Runs work as soon as a place is free. Work that arrives first runs first.
	 *
	 * @throws the signal's reason if the signal is aborted first.
	 */
	run<Result>(work: () => Promise<Result>, turn: Turn): Promise<Result>;
	/** Records how long a call waited for its first token. */
	note(firstTokenMs: number, now: number): void;
	/**
	 * Records that the server cut off a reply. Returns true if another call was running, which may be the reason. If so, calls are made one
	 * by one for an hour.
	 */
	noteBrokenOff(now: number): boolean;
}

/** An attempt's place at the gate. */
export interface Turn {
	/** The signal is aborted when the attempt may not start any more calls. */
	readonly signal: AbortSignal;
	readonly now: () => number;
	/**
	 * When the attempt is over, in milliseconds since the epoch. The gate must know it, because a killed invocation cannot give up its
	 * place.
	 */
	readonly endsAt: number;
}

interface Entry extends Pick<Turn, "endsAt"> {
	readonly begin: () => void;
}

/** The maximum number of parallel calls. With more, prompts would fill the memory, because each one stays there until its call ends. */
const MAX_WIDTH = 12;
const WINDOW = 10;
const QUICK_MS = 10 * SECOND_MS;
const SLOW_MS = 60 * SECOND_MS;

class ModelGate implements Gate {
	#width: number;
	/** How long each call waited for its first token, since the last decision about the width. */
	#firstTokenMs: number[] = [];
	#aloneUntil = 0;
	readonly #running = new Set<Entry>();
	readonly #waiting = new Set<Entry>();

	constructor(initialWidth: number) {
		this.#width = Math.min(MAX_WIDTH, initialWidth);
	}

	async run<Result>(work: () => Promise<Result>, { signal, now, endsAt }: Turn): Promise<Result> {
		const { promise: begun, resolve: begin, reject } = Promise.withResolvers<void>();
		const turn = { endsAt, begin };
		const leave = () => {
			this.#waiting.delete(turn);
			reject(signal.reason);
		};
		this.#waiting.add(turn);
		signal.addEventListener("abort", leave, { once: true });
		if (signal.aborted) leave();
		this.#admit(now());
		try {
			await begun;
			return await work();
		} finally {
			signal.removeEventListener("abort", leave);
			this.#running.delete(turn);
			this.#admit(now());
		}
	}

	/** Ends the turns of attempts that are over, and begins waiting turns while places are free. */
	#admit(now: number): void {
		for (const turn of [...this.#running, ...this.#waiting]) {
			if (turn.endsAt <= now && !this.#running.delete(turn)) this.#waiting.delete(turn);
		}
		for (const turn of this.#waiting) {
			if (this.#running.size >= this.#width) return;
			this.#waiting.delete(turn);
			this.#running.add(turn);
			turn.begin();
		}
	}

	note(firstTokenMs: number, now: number): void {
		this.#firstTokenMs.push(firstTokenMs);
		if (this.#firstTokenMs.length < WINDOW) return;
		const median = this.#firstTokenMs.toSorted((a, b) => a - b)[WINDOW / 2] ?? 0;
		if (median < QUICK_MS && now >= this.#aloneUntil) this.#width = Math.min(MAX_WIDTH, this.#width * 2);
		else if (median > SLOW_MS) this.#width = Math.max(1, Math.floor(this.#width / 2));
		// The next decision about the width depends only on later calls.
		this.#firstTokenMs = [];
		this.#admit(now);
	}

	noteBrokenOff(now: number): boolean {
		if (this.#running.size < 2) return false;
		this.#width = 1;
		this.#firstTokenMs = [];
		this.#aloneUntil = now + HOUR_MS;
		return true;
	}
}

const gates = new Map<string, Gate>();

/** Returns the gate for a model on a server. `initialWidth`, the number of parallel calls, applies only when the gate is created. */
export function gateOf(key: string, initialWidth: number): Gate {
	const gate = gates.get(key) ?? new ModelGate(initialWidth);
	gates.set(key, gate);
	return gate;
}

/** Forgets all gates, for tests. */
export function forgetGates(): void {
	gates.clear();
}
