// A webhook's Durable Object has these tables. `npm run migration -- --of webhook` writes the migration of a change.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { DELIVERY_STATUSES } from "../../../../domain/retries.ts";

/** A delivery is one event on its way to the webhook. */
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
		/** This delivery repeats that one on request. */
		replayOf: text("replay_of"),
		status: text("status", { enum: DELIVERY_STATUSES }).notNull().default("pending"),
		/** This number of attempts have begun, those that were cut off included. */
		attempts: integer("attempts").notNull().default(0),
		dueAt: integer("due_at").notNull(),
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
		/**
		 * The attempts as JSON, oldest first. They are in the delivery's row, because with a separate table, a page of the log would read two more rows per delivery.
		 */
		attemptLog: text("attempt_log").notNull().default("[]"),
	},
	(table) => [
		uniqueIndex("deliveries_event").on(table.eventId).where(sql`replay_of is null`),
		index("deliveries_due").on(table.dueAt).where(sql`status = 'pending'`),
		index("deliveries_failed").on(table.id).where(sql`status = 'failed'`),
	],
);

/** The one row is the webhook itself, as far as its deliveries change it. */
export const receiver = sqliteTable("receiver", {
	webhookId: text("webhook_id").primaryKey(),
	/** The first failure after the last success was at this time. It is null while all is well. */
	failingSince: integer("failing_since"),
	/** The values of these four columns that D1 has. */
	reportedWaiting: integer("reported_waiting").notNull().default(0),
	reportedWaitingSince: integer("reported_waiting_since"),
	reportedFailed: integer("reported_failed", { mode: "boolean" }).notNull().default(false),
	reportedFailingSince: integer("reported_failing_since"),
});
