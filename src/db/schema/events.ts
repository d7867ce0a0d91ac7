import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Domain events of a commit that have not been forwarded yet. Once all have been, the row is deleted. */
export const directoryOutbox = sqliteTable("outbox", {
	/** The id of the first event. */
	id: text("id").primaryKey(),
	/** The events that have not been forwarded yet. */
	events: text("events", { mode: "json" }).$type<WaitingEvent[]>().notNull(),
	createdAt: integer("created_at").notNull(),
});

export interface WaitingEvent {
	readonly id: string;
	readonly type: string;
	readonly payload: unknown;
	/** The last subscription that got its delivery. Set if an event has more subscriptions than one run can handle. */
	readonly fanOutAfter?: string;
}

/**
 * If nothing else identifies a commit, it writes a mark here. After a lost response, the mark shows that the commit succeeded. It
 * overwrites a random slot, so the table stays small without a sweep.
 */
export const commitMarks = sqliteTable("commit_marks", {
	slot: integer("slot").primaryKey(),
	commitId: text("commit_id").notNull(),
});

/** Always empty. A failed guard inserts a row that violates the constraint, which fails the whole batch. */
export const commitGuards = sqliteTable("commit_guards", { failed: integer("failed").notNull() }, () => [
	check("stale_read", sql`failed = 0`),
]);
