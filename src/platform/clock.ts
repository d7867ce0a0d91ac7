import { DAY_MS } from "../domain/durations.ts";

/** Only the clock reads the time. All other code receives `now`, or uses `deps.clock`. */
export interface Clock {
	/** Returns milliseconds since the Unix epoch. */
	now(): number;
	/** Calls `tick` every `ms` milliseconds until the returned function is called. */
	every(ms: number, tick: () => void): () => void;
	/** Calls `run` once after `ms` milliseconds, unless the returned function is called earlier. */
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

/** Formats milliseconds since the epoch for responses: ISO 8601, UTC, with milliseconds and `Z`. */
export function toIso(ms: number): string {
	return new Date(ms).toISOString();
}

/** Formats milliseconds since the epoch for HTTP and RSS, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function toHttpDate(ms: number): string {
	return new Date(ms).toUTCString();
}

/** Formats milliseconds as {@link toIso} does. Returns null for null. */
export function toIsoOrNull(ms: number | null): string | null {
	return ms === null ? null : toIso(ms);
}

/** Returns the UTC calendar day of an instant, such as `2026-11-22`. */
export function utcDayOf(ms: number): string {
	return toIso(ms).slice(0, 10);
}

/** Returns when the UTC calendar day after an instant begins. All days have the same length, because Unix time has no leap seconds. */
export function startOfNextUtcDay(ms: number): number {
	return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

/** Returns the UTC calendar month of an instant, such as `2026-11`. */
export function utcMonthOf(ms: number): string {
	return toIso(ms).slice(0, 7);
}

/** Returns when the UTC calendar month after an instant begins. */
export function startOfNextUtcMonth(ms: number): number {
	const date = new Date(ms);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
