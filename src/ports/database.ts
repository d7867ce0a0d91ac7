import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { DrizzleD1Database } from "drizzle-orm/d1";

/** `Database.read` takes reads with their values. */
export interface BoundRead<Row> {
	readonly sql: string;
	readonly parameters: readonly unknown[];
	mapRows(result: D1Result): Row[];
}

/** A request or message counts what it did to D1: round trips and rows. It is logged, and tests assert the budgets on it. */
export interface DatabaseUse {
	calls: number;
	rowsRead: number;
	rowsWritten: number;
	/** The database had this size after the last statement, and 0 before the first one. */
	sizeBytes: number;
	/** A read replica has served a statement. */
	hasAskedReplica: boolean;
}

export interface Database {
	/** Builds and runs queries. `db.query.batch([...])` runs several statements in one round trip and is atomic. */
	readonly query: DrizzleD1Database;
	/** Does what {@link query} does, and repeats writes after a lost connection, like reads. Use it if a second run changes nothing and returns the same. */
	readonly idempotent: DrizzleD1Database;
	/** Runs prepared reads in one round trip and returns the rows of each. */
	read<Rows extends readonly unknown[]>(...reads: ReadsOf<Rows>): Promise<RowsOf<Rows>>;
	/** Makes a hand-written statement for {@link query}`.batch`. To run one by itself, use `query.run`. */
	statement(text: SQL): Statement;
	readonly use: Readonly<DatabaseUse>;
	/** These events were committed here and not yet sent on. `commit` adds their ids, and events/dispatch.ts takes them out. */
	readonly committedEvents: string[];
	/** Returns what a client sends as `X-D1-Bookmark` to read at least what this request saw, or null before the first query. */
	bookmark(): string | null;
	/** Opens the database at a bookmark, for reads that need not see more than it names. It has a separate count. */
	at(bookmark: string): Database;
	/** Opens the database for work outside of this request: on the primary, in a separate session and with a separate count. */
	fork(): Database;
	/** Sends the next reads to the primary, for a write that found its reads stale. */
	refresh(): void;
}

/** A page of a list that is newest first has rows with smaller ids than `before`, which are older. Null is for the first page. */
export interface PageBefore {
	readonly before: string | null;
	readonly limit: number;
}

/** A statement that has been built and not yet run. */
export type Statement = BatchItem<"sqlite">;

/**
 * An event insert adds events to the outbox. It is not a {@link Statement}, so that only `commit` can run it, because only `commit`
 * remembers the events for dispatch.
 */
export interface EventInsert {
	readonly insert: Statement;
	/** The events are in this row of the outbox. */
	readonly outboxId: string;
}

/** `commit` takes these. */
export type CommitItem = Statement | EventInsert;

export type ReadsOf<Rows extends readonly unknown[]> = { readonly [Index in keyof Rows]: BoundRead<Rows[Index]> };
export type RowsOf<Rows extends readonly unknown[]> = { [Index in keyof Rows]: Rows[Index][] };
