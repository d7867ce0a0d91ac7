import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Each row has the domain events of one commit that wait to be sent on. It is deleted when all of them were sent on. */
export const directoryOutbox = sqliteTable("outbox", {
	/** The first event has the same id. */
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
 * A commit that has no other identification writes a mark here, so that it can find out whether it succeeded if its response was lost. The mark overwrites a random slot, so the table stays small without a sweep.
 */
export const commitMarks = sqliteTable("commit_marks", {
	slot: integer("slot").primaryKey(),
	commitId: text("commit_id").notNull(),
});

/** This table is always empty. A failed guard inserts a row that violates its constraint, which fails the whole batch. */
export const commitGuards = sqliteTable("commit_guards", { failed: integer("failed").notNull() }, () => [
	check("stale_read", sql`failed = 0`),
]);
