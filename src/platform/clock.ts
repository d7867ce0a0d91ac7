import { DAY_MS } from "../domain/durations.ts";

/** Only the clock reads the time. Other code receives `now` or uses `deps.clock`. */
export interface Clock {
	/** Returns milliseconds since the Unix epoch. */
	now(): number;
	/** Calls `tick` every `ms` milliseconds until the returned function is called. */
	every(ms: number, tick: () => void): () => void;
	/** Calls `run` once after `ms` milliseconds, unless the returned function is called before. */
	after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	every: (ms, tick) => {
		const timer = setInterval(tick, ms);
		return () => clearInterval(timer);
	},
	after: (ms, run) => {
		const timer = setTimeout(run, ms);
		return () => clearTimeout(timer);
	},
};

export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../domain/durations.ts";

/** Formats stored milliseconds for the wire: ISO 8601, UTC, milliseconds, `Z`. */
export function toIso(ms: number): string {
	return new Date(ms).toISOString();
}

/** Formats stored milliseconds as HTTP and RSS do, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function toHttpDate(ms: number): string {
	return new Date(ms).toUTCString();
}

/** Does what {@link toIso} does for a column that may be empty. */
export function toIsoOrNull(ms: number | null): string | null {
	return ms === null ? null : toIso(ms);
}

/** Returns the calendar day in UTC of an instant, such as `2026-11-22`. */
export function utcDayOf(ms: number): string {
	return toIso(ms).slice(0, 10);
}

/** Returns the start of the calendar day after an instant, in UTC. Days of Unix time have no leap seconds. */
export function startOfNextUtcDay(ms: number): number {
	return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

/** Returns the calendar month in UTC of an instant, such as `2026-11`. */
export function utcMonthOf(ms: number): string {
	return toIso(ms).slice(0, 7);
}

/** Returns the start of the calendar month after an instant, in UTC. */
export function startOfNextUtcMonth(ms: number): number {
	const date = new Date(ms);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
