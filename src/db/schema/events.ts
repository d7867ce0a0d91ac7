import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The domain events of a commit that have not been forwarded yet. The row is deleted once all have been. */
export const directoryOutbox = sqliteTable("outbox", {
	/** The id of the first event. */
	id: text("id").primaryKey(),
	/** The events that are still waiting. */
	events: text("events", { mode: "json" }).$type<WaitingEvent[]>().notNull(),
	createdAt: integer("created_at").notNull(),
});

export interface WaitingEvent {
	readonly id: string;
	readonly type: string;
	readonly payload: unknown;
	/** The last subscription that got its delivery, if an event has more subscriptions than one run can handle. */
	readonly fanOutAfter?: string;
}

/**
 * A commit that cannot be recognized otherwise writes a mark here, so that it can find out whether it succeeded if its response was lost.
 * The mark overwrites a random slot, so the table stays small without a sweep.
 */
export const commitMarks = sqliteTable("commit_marks", {
	slot: integer("slot").primaryKey(),
	commitId: text("commit_id").notNull(),
});

/** Always empty. A failed guard inserts a row that violates the constraint, which fails the whole batch. */
export const commitGuards = sqliteTable("commit_guards", { failed: integer("failed").notNull() }, () => [
	check("stale_read", sql`failed = 0`),
]);
