import { DAY_MS, toIso, utcDayOf } from "../../platform/clock.ts";
import type { Checkpoint } from "./schemas.ts";

/** Whether a run has something to do: no backup has begun on this UTC day, or the newest one waits to be continued. */
export function isDue(checkpoint: Checkpoint | null, now: number): boolean {
	if (checkpoint === null) return true;
	if (checkpoint.endedAt === null) return checkpoint.leaseExpiresAt <= now;
	return utcDayOf(checkpoint.startedAt) < utcDayOf(now);
}

/** The id of a backup, which sorts by time and suits a file name. */
export function backupIdAt(now: number): string {
	return toIso(now).replaceAll(":", "-");
}

/** Backups with smaller ids are too old. */
export function oldestKeptId(now: number, days: number): string {
	return backupIdAt(now - days * DAY_MS);
}

const PAGE_BYTES = 1_000_000;
const MAX_PAGE_ROWS = 1_000;
/** Before the size of a table's rows is known. A row has 2 MB at most. */
const FIRST_PAGE_ROWS = 20;

/** How many rows make a page of about a megabyte, from those that were read. */
export function nextPageRows({ rows, bytes }: { rows: number; bytes: number }): number {
	if (rows === 0) return FIRST_PAGE_ROWS;
	return Math.max(1, Math.min(MAX_PAGE_ROWS, Math.floor((PAGE_BYTES * rows) / Math.max(1, bytes))));
}
