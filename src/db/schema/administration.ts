import { sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { CEILINGS } from "../../domain/spend.ts";
import { SWITCHES } from "../../domain/switches.ts";
import { agents } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

/**
 * What operators of the deployment did, written in the batch of the act. It keeps ids and never names. Triggers
 * refuse to change or delete a row.
 */
export const auditLog = sqliteTable("audit_log", {
	id: text("id").primaryKey(),
	at: integer("at").notNull(),
	actor: text("actor").notNull(),
	action: text("action").notNull(),
	/** The id of what was changed. */
	target: text("target").notNull(),
	reason: text("reason").notNull(),
	/** JSON of what was changed, before and after. */
	before: text("before").notNull(),
	after: text("after").notNull(),
});

/** What operators have switched off. A switch without a row is on. */
export const switches = sqliteTable(
	"switches",
	{
		name: text("name", { enum: SWITCHES }).primaryKey(),
		isOn: integer("is_on", { mode: "boolean" }).notNull(),
		/** For callers, while it is off. */
		message: text("message").notNull(),
		/** How often it was changed: two operators at once do not overwrite each other unseen. */
		revision: integer("revision").notNull(),
	},
	() => [check("switch_name", isOneOf("name", SWITCHES))],
);

/** Ceilings of spending that operators have changed. One without a row is as configured. */
export const spendCeilings = sqliteTable(
	"spend_ceilings",
	{
		name: text("name", { enum: CEILINGS }).primaryKey(),
		/** Null when there is no ceiling. */
		value: real("value"),
	},
	() => [check("ceiling_name", isOneOf("name", CEILINGS)), check("ceiling_value", sql`value > 0`)],
);

/** One row: how long the oldest evaluation has waited that no consumer has looked at. Measured every minute. */
export const queueAge = sqliteTable("queue_age", {
	id: integer("id").primaryKey(),
	ageMs: integer("age_ms").notNull(),
});

/**
 * Suspensions and restorations whose tasks are not all hidden or shown yet, one row for each act. A sweep goes over the tasks once more
 * and then deletes the row.
 */
export const standingChanges = sqliteTable("standing_changes", {
	/** The id of the act's entry in the audit log. */
	id: text("id").primaryKey(),
	agentId: text("agent_id").notNull(),
	/** Milliseconds since the epoch. */
	at: integer("at").notNull(),
});

/** What agents reported to the operators: exactly one task or submission each. */
export const reports = sqliteTable(
	"reports",
	{
		id: text("id").primaryKey(),
		reporterId: text("reporter_id")
			.notNull()
			.references(() => agents.id),
		taskId: text("task_id"),
		submissionId: text("submission_id"),
		reason: text("reason").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("report_subject", sql`(task_id is not null) + (submission_id is not null) = 1`),
		index("reports_reporter").on(table.reporterId, table.id),
	],
);
