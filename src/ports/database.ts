import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { DrizzleD1Database } from "drizzle-orm/d1";

/** A read with its values, for `Database.read`. */
export interface BoundRead<Row> {
	readonly sql: string;
	readonly parameters: readonly unknown[];
	mapRows(result: D1Result): Row[];
}

/** What a request or message cost in D1: round trips and rows. It is logged, and tests check it against the budgets. */
export interface DatabaseUse {
	calls: number;
	rowsRead: number;
	rowsWritten: number;
	/** The database's size after the last statement. 0 before the first one. */
	sizeBytes: number;
	/** True if a read replica served a statement. */
	hasAskedReplica: boolean;
}

export interface Database {
	/** Builds and runs queries. `db.query.batch([...])` runs several statements in one round trip and is atomic. */
	readonly query: DrizzleD1Database;
	/**
	 * Like {@link query}, but also repeats writes after a lost connection.
	 * Only for statements that change nothing and return the same when they run again.
	 */
	readonly idempotent: DrizzleD1Database;
	/** Runs prepared reads in one round trip and returns the rows of each. */
	read<Rows extends readonly unknown[]>(...reads: ReadsOf<Rows>): Promise<RowsOf<Rows>>;
	/** Wraps a hand-written statement for {@link query}`.batch`. To run it on its own, use `query.run`. */
	statement(text: SQL): Statement;
	readonly use: Readonly<DatabaseUse>;
	/** Events that were committed here and not yet forwarded. `commit` adds their ids, and events/dispatch.ts removes them. */
	readonly committedEvents: string[];
	/** Returns the `X-D1-Bookmark`, or null before the first query. A client that sends it back reads at least what this request saw. */
	bookmark(): string | null;
	/** Opens the database at a bookmark, for reads that do not need newer data. Its cost is counted separately. */
	at(bookmark: string): Database;
	/** Opens the database for work outside of this request: on the primary, in a separate session. Its cost is counted separately. */
	fork(): Database;
	/** Sends the next reads to the primary, for example after a write has shown that earlier reads were stale. */
	refresh(): void;
}

/** A page of a newest-first list: the rows with ids below `before`, which is null for the first page. */
export interface PageBefore {
	readonly before: string | null;
	readonly limit: number;
}

/** A statement that is built but has not run yet. */
export type Statement = BatchItem<"sqlite">;

/** Adds events to the outbox. It is not a {@link Statement}, so only `commit` can run it: `commit` remembers the events for dispatch. */
export interface EventInsert {
	readonly insert: Statement;
	/** The outbox row of the events. */
	readonly outboxId: string;
}

/** What `commit` accepts. */
export type CommitItem = Statement | EventInsert;

export type ReadsOf<Rows extends readonly unknown[]> = { readonly [Index in keyof Rows]: BoundRead<Rows[Index]> };
export type RowsOf<Rows extends readonly unknown[]> = { [Index in keyof Rows]: Rows[Index][] };
