// Bounds how many calls to one model are under way, so that the queue is the platform's own and not the server's. It counts within one
// isolate: what other isolates add costs time only.
import { SECOND_MS } from "../../../platform/clock.ts";

export interface Gate {
	/** Runs work as soon as fewer calls are under way, in the order it was asked for. */
	run<Result>(work: () => Promise<Result>): Promise<Result>;
	/** Learns how long a call has waited for its first token. */
	note(firstTokenMs: number): void;
	readonly width: number;
}

/** More would fill the memory, which has each prompt until its call ends. */
const MAX_WIDTH = 12;
const WINDOW = 10;
const QUICK_MS = 10 * SECOND_MS;
const SLOW_MS = 60 * SECOND_MS;

function createGate(initial: number): Gate {
	let width = Math.min(MAX_WIDTH, initial);
	let running = 0;
	let recent: number[] = [];
	const waiting: (() => void)[] = [];
	const admit = () => {
		while (running < width && waiting.length > 0) {
			running += 1;
			waiting.shift()?.();
		}
	};
	return {
		async run(work) {
			await new Promise<void>((resolve) => {
				waiting.push(resolve);
				admit();
			});
			try {
				return await work();
			} finally {
				running -= 1;
				admit();
			}
		},
		note(firstTokenMs) {
			recent.push(firstTokenMs);
			if (recent.length < WINDOW) return;
			const median = recent.toSorted((a, b) => a - b)[WINDOW / 2] ?? 0;
			if (median < QUICK_MS) width = Math.min(MAX_WIDTH, width * 2);
			else if (median > SLOW_MS) width = Math.max(1, Math.floor(width / 2));
			// Times from before a change say nothing about what follows it.
			recent = [];
			admit();
		},
		get width() {
			return width;
		},
	};
}

const gates = new Map<string, Gate>();

/** Returns the gate of a model at a server. */
export function gateOf(key: string, initial: number): Gate {
	const known = gates.get(key) ?? createGate(initial);
	gates.set(key, known);
	return known;
}

/** Forgets all gates, for tests. */
export function forgetGates(): void {
	gates.clear();
}
