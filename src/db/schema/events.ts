import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Domain events of a commit that still have to be forwarded. The row is deleted once all have been forwarded. */
export const directoryOutbox = sqliteTable("outbox", {
	/** The id of the commit's first event. */
	id: text("id").primaryKey(),
	/** The events that have not been forwarded yet. */
	events: text("events", { mode: "json" }).$type<WaitingEvent[]>().notNull(),
	createdAt: integer("created_at").notNull(),
});

export interface WaitingEvent {
	readonly id: string;
	readonly type: string;
	readonly payload: unknown;
	/** The last receiver that the event has reached. Set if the event has more receivers than one run can handle. */
	readonly fanOutAfter?: string;
}

/**
 * If nothing else identifies a commit, it writes a mark here. After a lost response, the mark shows that the commit succeeded. A mark
 * overwrites a random slot, so the table stays small without a sweep.
 */
export const commitMarks = sqliteTable("commit_marks", {
	slot: integer("slot").primaryKey(),
	commitId: text("commit_id").notNull(),
});

/** Always empty. A guard whose condition is false inserts a row that violates the constraint, so the whole batch fails. */
export const commitGuards = sqliteTable("commit_guards", { failed: integer("failed").notNull() }, () => [
	check("stale_read", sql`failed = 0`),
]);
