import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";

/** The due time of a step that must run at once. It is not 0, because the runtime rejects an alarm at the time 0. */
const AT_ONCE = 1;
const FIRST_PAUSE_MS = 15 * SECOND_MS;
const LONGEST_PAUSE_MS = HOUR_MS;

/** What an object records about its copies. Times are in milliseconds since the epoch. */
export interface Book {
	readonly changedAt: number | null;
	readonly isUrgent: boolean;
	readonly revision: string | null;
	readonly copiedAt: number | null;
	readonly digest: string | null;
	readonly underWay: string | null;
	readonly mustClean: boolean;
	readonly tries: number;
	readonly nextTryAt: number;
}

/**
 * Returns when a copy is due, or null. It is due at once after an erasure and while a copy is in progress. Otherwise, a change makes it due
 * a day after the last copy, or after the change if there is no copy yet. A copy is also due a minute after each time in `ends`.
 *
 * @param ends When the task was closed and when its ranks became final.
 */
export function copyDueAt({ changedAt, copiedAt, isUrgent, underWay }: Book, ends: readonly number[]): number | null {
	if (isUrgent || underWay !== null) return AT_ONCE;
	if (changedAt === null) return null;
	// The first change after a long time is often followed by others, so wait a little.
	const daily = copiedAt === null ? changedAt + DAY_MS : Math.max(copiedAt + DAY_MS, changedAt + MINUTE_MS);
	const ended = ends.map((at) => at + MINUTE_MS).filter((at) => copiedAt === null || copiedAt < at);
	return Math.min(daily, ...ended);
}

/** Returns when the next step is due: either of making a copy, or of deleting older ones. Null if none is due. */
export function workDueAt(book: Book, ends: readonly number[]): number | null {
	const due = book.mustClean ? AT_ONCE : copyDueAt(book, ends);
	return due === null ? null : Math.max(due, book.nextTryAt);
}

/** Returns a wait that grows with each failed attempt. Half of it is random, so that many objects do not try at the same time. */
export function pauseAfter(tries: number, random: number): number {
	const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10));
	return Math.round(pause * (0.5 + random / 2));
}
