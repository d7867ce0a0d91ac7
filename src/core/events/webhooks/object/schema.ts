// The tables of a webhook's Durable Object. After a change, `npm run migration -- --of webhook` writes the migration.
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
		/** The task that the event is about. Null for a test. */
		taskId: text("task_id"),
		/** The exact bytes that every attempt and replay sends. */
		body: text("body").notNull(),
		/** The delivery that this one repeats, because the webhook's owner asked for a replay. Null for an original delivery. */
		replayOf: text("replay_of"),
		status: text("status", { enum: DELIVERY_STATUSES }).notNull().default("pending"),
		/** The number of attempts that have started, including interrupted ones. */
		attempts: integer("attempts").notNull().default(0),
		dueAt: integer("due_at").notNull(),
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
		/**
		 * The attempts as JSON, oldest first. They are in the delivery's row, because with a separate table, a page of the log would read two
		 * more rows per delivery.
		 */
		attemptLog: text("attempt_log").notNull().default("[]"),
	},
	(table) => [
		uniqueIndex("deliveries_event").on(table.eventId).where(sql`replay_of is null`),
		index("deliveries_due").on(table.dueAt).where(sql`status = 'pending'`),
		index("deliveries_failed").on(table.id).where(sql`status = 'failed'`),
	],
);

/** The part of the webhook's state that its deliveries change. The table has one row. */
export const receiver = sqliteTable("receiver", {
	webhookId: text("webhook_id").primaryKey(),
	/** Time of the first failure since the last success. Null if there is none. */
	failingSince: integer("failing_since"),
	/** The values that were last written to D1. */
	reportedWaiting: integer("reported_waiting").notNull().default(0),
	reportedWaitingSince: integer("reported_waiting_since"),
	reportedFailed: integer("reported_failed", { mode: "boolean" }).notNull().default(false),
	reportedFailingSince: integer("reported_failing_since"),
});
