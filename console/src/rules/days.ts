// Counts submissions by day, for charts and sparklines.
import { DAY_MS } from "../../../src/domain/durations.ts";

interface DayCount {
	readonly day: string;
	readonly submissions: number;
}

/** Lists the last days as the API names them, in UTC, oldest first and today last. */
export function lastDays(now: number, days: number): readonly string[] {
	return Array.from({ length: days }, (_, index) => new Date(now - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10));
}

/** Sums the rows of each day. Days without a row count 0. */
export function countByDay(
	rows: readonly DayCount[],
	days: readonly string[],
): readonly { readonly day: string; readonly count: number }[] {
	const sums = new Map<string, number>();
	for (const { day, submissions } of rows) sums.set(day, (sums.get(day) ?? 0) + submissions);
	return days.map((day) => ({ day, count: sums.get(day) ?? 0 }));
}
