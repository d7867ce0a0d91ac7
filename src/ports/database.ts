import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { DrizzleD1Database } from "drizzle-orm/d1";

/** A prepared read together with the values of its parameters, for {@link Database.read}. */
export interface BoundRead<Row> {
	readonly sql: string;
	readonly parameters: readonly unknown[];
	mapRows(result: D1Result): Row[];
}

/** What a request or message cost in D1: round trips and rows. The log shows it, and tests compare it with budgets. */
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
	 * Does the same as {@link query}, and also repeats writes after a lost connection. Only for statements for which a second run changes
	 * nothing and returns the same.
	 */
	readonly idempotent: DrizzleD1Database;
	/** Runs prepared reads in one round trip and returns the rows of each. */
	read<Rows extends readonly unknown[]>(...reads: ReadsOf<Rows>): Promise<RowsOf<Rows>>;
	/** Turns hand-written SQL into a statement for a batch or a commit. To run SQL by itself, use `query.run`. */
	statement(text: SQL): Statement;
	readonly use: Readonly<DatabaseUse>;
	/** The outbox ids of events that were committed here and not dispatched yet. `commit` adds them, and events/dispatch.ts removes them. */
	readonly committedEvents: string[];
	/** Returns the value of `X-D1-Bookmark`, or null before the first query. If a client sends it back, its reads are at least as new. */
	bookmark(): string | null;
	/** Opens a separate session for reads that must be at least as new as a bookmark. Its cost is counted separately. */
	at(bookmark: string): Database;
	/** Opens a separate session on the primary database, for what outlives this request. Its cost is counted separately. */
	fork(): Database;
	/** Sends the next reads to the primary database, for example after a commit has shown that earlier reads were stale. */
	refresh(): void;
}

/** D1 accepts at most 2 MB as one value. */
export const MAX_VALUE_BYTES = 2_000_000;

/** A page of a list whose newest row comes first. It has rows with ids below `before`, which is null for the first page. */
export interface PageBefore {
	readonly before: string | null;
	readonly limit: number;
}

/** A statement that is built but has not run yet. */
export type Statement = BatchItem<"sqlite">;

/**
 * Adds events to the outbox. Only `commit` can run it, because it is not a {@link Statement}. `commit` also remembers the events for
 * dispatch.
 */
export interface EventInsert {
	readonly insert: Statement;
	/** The id of the outbox row that `insert` adds. */
	readonly outboxId: string;
}

export type CommitItem = Statement | EventInsert;

export type ReadsOf<Rows extends readonly unknown[]> = { readonly [Index in keyof Rows]: BoundRead<Rows[Index]> };
export type RowsOf<Rows extends readonly unknown[]> = { [Index in keyof Rows]: Rows[Index][] };
