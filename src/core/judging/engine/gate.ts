// Limits the number of parallel calls to one model, so that calls queue here instead of at the server. Counts per isolate; calls from other isolates only make the server slower.
import { HOUR_MS, SECOND_MS } from "../../../platform/clock.ts";

export interface Gate {
	/**
	 * Runs work as soon as there is a free place, in the order of the requests.
	 *
	 * @throws the signal's reason if the signal is aborted first.
	 */
	run<Result>(work: () => Promise<Result>, turn: Turn): Promise<Result>;
	/** Records how long a call waited for its first token. */
	note(firstTokenMs: number, now: number): void;
	/**
	 * Records that the server cut off a reply. Returns true if another call was running, which may be the reason. Then calls are made one by one for an hour.
	 */
	noteBrokenOff(now: number): boolean;
}

/** An attempt's place at the gate. */
export interface Turn {
	/** The signal is aborted when the attempt may not start any more calls. */
	readonly signal: AbortSignal;
	readonly now: () => number;
	/** When the attempt is over, in milliseconds since the epoch. The gate must know it, because a killed invocation cannot give up its place. */
	readonly endsAt: number;
}

interface Entry extends Pick<Turn, "endsAt"> {
	readonly begin: () => void;
}

/** More would fill the memory, because each prompt stays in memory until its call ends. */
const MAX_WIDTH = 12;
const WINDOW = 10;
const QUICK_MS = 10 * SECOND_MS;
const SLOW_MS = 60 * SECOND_MS;

function createGate(initial: number): Gate {
	let width = Math.min(MAX_WIDTH, initial);
	let recent: number[] = [];
	let aloneUntil = 0;
	const running = new Set<Entry>();
	const waiting = new Set<Entry>();
	const admit = (now: number) => {
		for (const turn of [...running, ...waiting]) if (turn.endsAt <= now && !running.delete(turn)) waiting.delete(turn);
		for (const turn of waiting) {
			if (running.size >= width) return;
			waiting.delete(turn);
			running.add(turn);
			turn.begin();
		}
	};
	return {
		async run(work, { signal, now, endsAt }) {
			const { promise: begun, resolve: begin, reject } = Promise.withResolvers<void>();
			const turn = { endsAt, begin };
			const leave = () => {
				waiting.delete(turn);
				reject(signal.reason);
			};
			waiting.add(turn);
			signal.addEventListener("abort", leave, { once: true });
			if (signal.aborted) leave();
			admit(now());
			try {
				await begun;
				return await work();
			} finally {
				signal.removeEventListener("abort", leave);
				running.delete(turn);
				admit(now());
			}
		},
		note(firstTokenMs, now) {
			recent.push(firstTokenMs);
			if (recent.length < WINDOW) return;
			const median = recent.toSorted((a, b) => a - b)[WINDOW / 2] ?? 0;
			if (median < QUICK_MS && now >= aloneUntil) width = Math.min(MAX_WIDTH, width * 2);
			else if (median > SLOW_MS) width = Math.max(1, Math.floor(width / 2));
			// Times from before a change of width do not count after it.
			recent = [];
			admit(now);
		},
		noteBrokenOff(now) {
			if (running.size < 2) return false;
			width = 1;
			recent = [];
			aloneUntil = now + HOUR_MS;
			return true;
		},
	};
}

const gates = new Map<string, Gate>();

/** Returns the gate of a model at a server. */
export function gateOf(key: string, initial: number): Gate {
	const gate = gates.get(key) ?? createGate(initial);
	gates.set(key, gate);
	return gate;
}

/** Forgets all gates, for tests. */
export function forgetGates(): void {
	gates.clear();
}
