import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Domain events that wait to be sent on, one row for each commit. The row is deleted when all of them were sent on. */
export const outbox = sqliteTable("outbox", {
	/** The id of the first event. */
	id: text("id").primaryKey(),
	/** JSON of those that still wait. */
	events: text("events", { mode: "json" }).$type<WaitingEvent[]>().notNull(),
	createdAt: integer("created_at").notNull(),
});

export interface WaitingEvent {
	readonly id: string;
	readonly type: string;
	readonly payload: unknown;
	/** The last subscription that has its delivery, for an event with more subscriptions than one run takes. */
	readonly fanOutAfter?: string;
}

/**
 * The latest commits that nothing else identifies, so that one whose response was lost recognises itself. A slot is chosen at random and
 * overwritten, so the table stays small without a sweep.
 */
export const commitMarks = sqliteTable("commit_marks", {
	slot: integer("slot").primaryKey(),
	commitId: text("commit_id").notNull(),
});

/** Always empty: inserting a failed guard violates the constraint and so undoes the whole batch. */
export const commitGuards = sqliteTable("commit_guards", { failed: integer("failed").notNull() }, () => [
	check("stale_read", sql`failed = 0`),
]);
