import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Domain events that wait to be sent on, written in the batch of their change. An event that was sent on is deleted. */
export const outbox = sqliteTable("outbox", {
	id: text("id").primaryKey(),
	type: text("type").notNull(),
	payload: text("payload").notNull(),
	createdAt: integer("created_at").notNull(),
	/** The last subscription that has its delivery, of an event with more of them than one go takes. */
	fanOutAfter: text("fan_out_after"),
});

/**
 * The latest guarded commits without events, so that one whose response was lost recognises itself. A slot is chosen at random and
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
