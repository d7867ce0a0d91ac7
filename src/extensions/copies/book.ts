// The progress of an object's copies: one row in the table `copies`.
// The table `copied_later` lists rows that were inserted among rows whose page was already copied.
import { type UnderWay, underWaySchema } from "./manifest.ts";
import { quoted, type Table } from "./pages.ts";
import type { Book } from "./rules.ts";
import type { CopiedSql } from "./storage.ts";

const NO_BOOK: Book = {
	...{ changedAt: null, isUrgent: false, revision: null, copiedAt: null, digest: null },
	...{ underWay: null, mustClean: false, tries: 0, nextTryAt: 0 },
};

type StoredBook = Omit<Book, "isUrgent" | "mustClean"> & { readonly isUrgent: number; readonly mustClean: number };

export function readBook(sql: CopiedSql): Book {
	const [row] = sql.exec<{ [Name in keyof StoredBook]: StoredBook[Name] }>(
		`select changed_at as changedAt, is_urgent as isUrgent, revision, copied_at as copiedAt, digest, under_way as underWay,
			must_clean as mustClean, tries, next_try_at as nextTryAt from copies`,
	);
	return row === undefined ? NO_BOOK : { ...row, isUrgent: row.isUrgent === 1, mustClean: row.mustClean === 1 };
}

/** Records that the object has changed since its newest copy. */
export function noteChange(sql: CopiedSql, now: number): void {
	sql.exec("insert into copies (id, changed_at) values (1, ?1) on conflict do update set changed_at = ?1 where changed_at is null", now);
}

/** Returns the copy in progress, or null. */
export function readUnderWay(sql: CopiedSql): UnderWay | null {
	const { underWay } = readBook(sql);
	return underWay === null ? null : underWaySchema.parse(JSON.parse(underWay));
}

export function saveUnderWay(sql: CopiedSql, underWay: UnderWay): void {
	sql.exec("update copies set under_way = ?", JSON.stringify(underWay));
}

const VOID = "update copies set under_way = null, changed_at = coalesce(changed_at, 0)";

/** Discards the copy in progress, so that a new one becomes due. */
export function voidCopy(sql: CopiedSql): void {
	sql.exec(VOID);
}

/** Records that the copy in progress contains every change so far. Later changes make another copy due. */
export function noteState(sql: CopiedSql): void {
	// A second copy follows a day after an erasure, in case a request that began before the object restarted stored something late.
	sql.exec("update copies set changed_at = (case when is_urgent then coalesce(changed_at, 0) end), is_urgent = 0");
}

/** Records that a copy is complete, and that the older copies must now be deleted. */
export function noteCopy(
	sql: CopiedSql,
	{ revision, copiedAt, digest }: { revision: string | null; copiedAt: number; digest: string },
): void {
	const set = "revision = ?, copied_at = ?, digest = ?, under_way = null, must_clean = 1, tries = 0, next_try_at = 0";
	sql.exec(`update copies set ${set}`, revision, copiedAt, digest);
}

export function noteCleaned(sql: CopiedSql, revision: string | null): void {
	sql.exec("update copies set must_clean = 0, tries = 0, next_try_at = 0 where revision is ?", revision);
}

export function noteFault(sql: CopiedSql, nextTryAt: number): void {
	sql.exec("update copies set tries = tries + 1, next_try_at = ?", nextTryAt);
}

const EVENTS = ["insert", "update", "delete"] as const;
const triggerName = (table: Table, event: string): string => quoted(`copied_${event}_${table.name}`);

/**
 * From now on, tracks changes to a table whose first pages are already copied. Such a table should only grow.
 * If one of its rows changes anyway, the copy starts again.
 */
export function watchTable(sql: CopiedSql, table: Table): void {
	const key = `json_array(${table.key.map((column) => `new.${quoted(column)}`).join()})`;
	const name = `'${table.name.replaceAll("'", "''")}'`;
	const begin = (event: string) =>
		`create trigger if not exists ${triggerName(table, event)} after ${event} on ${quoted(table.name)} begin`;
	sql.exec(`${begin("insert")} insert or ignore into copied_later (table_name, key) values (${name}, ${key}); end`);
	for (const event of ["update", "delete"]) sql.exec(`${begin(event)} ${VOID}; end`);
}

export function stopWatching(sql: CopiedSql, tables: readonly Table[]): void {
	for (const table of tables) for (const event of EVENTS) sql.exec(`drop trigger if exists ${triggerName(table, event)}`);
	sql.exec("delete from copied_later");
}
