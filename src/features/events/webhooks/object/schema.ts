// The tables of a webhook's Durable Object. `npm run migration -- --of webhook` writes the migration of a change.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { DELIVERY_STATUSES } from "../../../../domain/delivery-status.ts";

/** One event on its way to the webhook. */
export const deliveries = sqliteTable(
	"deliveries",
	{
		id: text("id").primaryKey(),
		eventId: text("event_id").notNull(),
		eventType: text("event_type").notNull(),
		/** The task that the event is about. It is null for a test. */
		taskId: text("task_id"),
		/** Every attempt and replay sends these bytes. */
		body: text("body").notNull(),
		/** The delivery that this one repeats on request. */
		replayOf: text("replay_of"),
		status: text("status", { enum: DELIVERY_STATUSES }).notNull().default("pending"),
		/** Attempts that have begun, those that were cut off included. */
		attempts: integer("attempts").notNull().default(0),
		dueAt: integer("due_at").notNull(),
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
		/** JSON: what was tried, oldest first. In the row, because a page of the log would read a table of attempts twice for each delivery. */
		attemptLog: text("attempt_log").notNull().default("[]"),
	},
	(table) => [
		uniqueIndex("deliveries_event").on(table.eventId).where(sql`replay_of is null`),
		index("deliveries_due").on(table.dueAt).where(sql`status = 'pending'`),
		index("deliveries_failed").on(table.id).where(sql`status = 'failed'`),
	],
);

/** One row: the webhook itself, as far as its deliveries change it. */
export const receiver = sqliteTable("receiver", {
	webhookId: text("webhook_id").primaryKey(),
	/** The time when the first attempt failed after the last success. It is null while all is well. */
	failingSince: integer("failing_since"),
	/** D1 was told these three last. */
	reportedWaiting: integer("reported_waiting").notNull().default(0),
	reportedWaitingSince: integer("reported_waiting_since"),
	reportedFailed: integer("reported_failed", { mode: "boolean" }).notNull().default(false),
});
