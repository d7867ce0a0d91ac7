// Counts submissions by day or by hour, for charts and sparklines.
import { DAY_MS, HOUR_MS } from "../../../src/domain/durations.ts";
import { formatDay } from "../../../src/domain/formats.ts";

interface DayCount {
	readonly day: string;
	readonly submissions: number;
}

interface HourCount {
	readonly hour: string;
	readonly submissions: number;
}

interface Count {
	readonly day: string;
	readonly count: number;
}

/** Lists the last days as the API names them, in UTC, from the oldest to today. */
export function lastDays(now: number, days: number): readonly string[] {
	return Array.from({ length: days }, (_, index) => new Date(now - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10));
}

/** Sums the rows of each day. Days without rows count as 0. */
export function countByDay(rows: readonly DayCount[], days: readonly string[]): readonly Count[] {
	const sums = new Map<string, number>();
	for (const { day, submissions } of rows) sums.set(day, (sums.get(day) ?? 0) + submissions);
	return days.map((day) => ({ day, count: sums.get(day) ?? 0 }));
}

/** Tasks published less than this long ago are shown by the hour. The API counts the last 48 hours, and the current hour is not over. */
const YOUNG_MS = 47 * HOUR_MS;

interface Arrivals {
	readonly unit: "hour" | "day";
	/** At least two, from publication on, oldest first. */
	readonly points: readonly { readonly name: string; readonly value: number }[];
}

/**
 * Counts the submissions to a task since it was published: by hour while it is young, and by day afterwards.
 *
 * @param published In milliseconds since the epoch, like `now`.
 * @param shown The maximum number of days.
 */
export function countArrivals(
	{ byHour, byDay }: { readonly byHour: readonly HourCount[]; readonly byDay: readonly DayCount[] },
	{ published, now, shown }: { readonly published: number; readonly now: number; readonly shown: number },
): Arrivals {
	if (now - published < YOUNG_MS) {
		const sums = new Map(byHour.map(({ hour, submissions }) => [Date.parse(hour), submissions]));
		return {
			unit: "hour",
			points: unitsBetween(published, now, HOUR_MS).map((at) => {
				return { name: `${formatDay(at)}, ${new Date(at).toISOString().slice(11, 16)}`, value: sums.get(at) ?? 0 };
			}),
		};
	}
	const days = unitsBetween(published, now, DAY_MS).slice(-shown);
	const names = days.map((at) => new Date(at).toISOString().slice(0, 10));
	return { unit: "day", points: countByDay(byDay, names).map(({ day, count }) => ({ name: formatDay(day), value: count })) };
}

/** Lists the beginnings of hours or days from one time to another. If there would be only one, adds the one before. */
function unitsBetween(from: number, to: number, unitMs: number): readonly number[] {
	const last = Math.floor(to / unitMs);
	const first = Math.min(Math.floor(from / unitMs), last - 1);
	return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * unitMs);
}
