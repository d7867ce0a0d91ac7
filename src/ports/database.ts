import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { DrizzleD1Database } from "drizzle-orm/d1";

/** A read with its values, for `Database.read`. */
export interface BoundRead<Row> {
	readonly sql: string;
	readonly parameters: readonly unknown[];
	mapRows(result: D1Result): Row[];
}

/** What one request or message did to D1: round trips and rows. It is logged, and tests assert the budgets on it. */
export interface DatabaseUse {
	calls: number;
	rowsRead: number;
	rowsWritten: number;
	/** Size of the database after the last statement; 0 before the first one. */
	sizeBytes: number;
}

export interface Database {
	/** Query builder and executor. Several statements in one round trip: `db.query.batch([...])`, which is atomic. */
	readonly query: DrizzleD1Database;
	/** Like {@link query}, for writes whose second run changes nothing and returns the same: a lost connection repeats them, like reads. */
	readonly idempotent: DrizzleD1Database;
	/** Prepared reads, in one round trip: the rows of each. */
	read<Rows extends readonly unknown[]>(...reads: ReadsOf<Rows>): Promise<RowsOf<Rows>>;
	/** A hand-written statement for {@link query}`.batch`. To run one by itself, use `query.run`. */
	statement(text: SQL): Statement;
	readonly use: Readonly<DatabaseUse>;
	/** Ids of the events that were committed here and not yet sent on. `commit` adds them, events/dispatch.ts takes them out. */
	readonly committedEvents: string[];
	/** What a client sends as `X-D1-Bookmark` to read at least what this request saw; null before the first query. */
	bookmark(): string | null;
	/** For work outside of this request: on the primary, in a session and with a count of its own. */
	fork(): Database;
	/** The next reads go to the primary, for a write that found its reads stale. */
	refresh(): void;
}

/** A statement that has been built and not yet run. */
export type Statement = BatchItem<"sqlite">;

/**
 * The insert of events into the outbox. It is not a {@link Statement}, so that no batch but `commit`'s can run it:
 * only `commit` remembers the events for dispatch.
 */
export interface EventInsert {
	readonly insert: Statement;
	/** The row of the outbox that has them. */
	readonly outboxId: string;
}

/** What `commit` takes. */
export type CommitItem = Statement | EventInsert;

export type ReadsOf<Rows extends readonly unknown[]> = { readonly [Index in keyof Rows]: BoundRead<Rows[Index]> };
export type RowsOf<Rows extends readonly unknown[]> = { [Index in keyof Rows]: Rows[Index][] };
