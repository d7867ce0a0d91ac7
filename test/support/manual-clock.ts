// Provides a clock that stops until a test advances it.
import type { Clock } from "../../src/platform/clock.ts";

export interface ManualClock extends Clock {
	/** Moves the time on, and makes the calls that become due. */
	advance(ms: number): void;
	/** Counts the calls that are not due yet. */
	waiting(): number;
	/** Drops all waiting calls, as a crash does. */
	forget(): void;
}

/** Returns a clock that stops until it is advanced. */
export function manualClock(start: number = Date.now()): ManualClock {
	let now = start;
	const timers = new Set<{ next: number; readonly ms: number | null; readonly call: () => void }>();
	const add = (timer: { next: number; readonly ms: number | null; readonly call: () => void }) => {
		timers.add(timer);
		return () => {
			timers.delete(timer);
		};
	};
	return {
		now: () => now,
		every: (ms, call) => add({ next: now + ms, ms, call }),
		after: (ms, call) => add({ next: now + ms, ms: null, call }),
		waiting: () => timers.size,
		forget: () => timers.clear(),
		advance(ms) {
			const until = now + ms;
			for (const timer of timers) {
				while (timers.has(timer) && timer.next <= until) {
					now = timer.next;
					timer.next += timer.ms ?? 0;
					if (timer.ms === null) timers.delete(timer);
					timer.call();
				}
			}
			now = until;
		},
	};
}
