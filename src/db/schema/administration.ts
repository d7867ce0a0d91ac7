import { sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { CEILINGS } from "../../domain/spend.ts";
import { SWITCHES } from "../../domain/switches.ts";
import { agents } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

/**
 * The audit log: each action of the deployment's operators, written in the same batch as its effect. It contains ids but never names.
 * Triggers reject changes and deletions.
 */
export const auditLog = sqliteTable(
	"audit_log",
	{
		id: text("id").primaryKey(),
		at: integer("at").notNull(),
		actor: text("actor").notNull(),
		action: text("action").notNull(),
		/** The id of the row or object that the action changed. */
		target: text("target").notNull(),
		reason: text("reason").notNull(),
		/** `before` and `after` contain the changed facts as JSON. */
		before: text("before").notNull(),
		after: text("after").notNull(),
	},
	(table) => [index("audit_log_target").on(table.target, table.id)],
);

/** The switches with which operators turn off parts of the platform. A switch without a row is on. */
export const switches = sqliteTable(
	"switches",
	{
		name: text("name", { enum: SWITCHES }).primaryKey(),
		isOn: integer("is_on", { mode: "boolean" }).notNull(),
		/** The message that callers get while the switch is off. */
		message: text("message").notNull(),
		/** When an operator turned it off. Null while it is on. */
		since: integer("since"),
		/** Grows by 1 with each change, so that no operator overwrites another's change unnoticed. */
		revision: integer("revision").notNull(),
	},
	() => [check("switch_name", isOneOf("name", SWITCHES))],
);

/** The spending ceilings that operators have changed. A ceiling without a row has the value from the deployment's settings. */
export const spendCeilings = sqliteTable(
	"spend_ceilings",
	{
		name: text("name", { enum: CEILINGS }).primaryKey(),
		/** The ceiling that operators have set. Null means no ceiling. */
		value: real("value"),
	},
	() => [check("ceiling_name", isOneOf("name", CEILINGS)), check("ceiling_value", sql`value > 0`)],
);

/** A single row: how long the oldest evaluation has been waiting for a queue consumer. A sweep measures this every minute. */
export const queueAge = sqliteTable("queue_age", {
	id: integer("id").primaryKey(),
	ageMs: integer("age_ms").notNull(),
});

/** The longest queue and the longest wait in each hour, for the queue chart. Hours are counted from the epoch. */
export const queueHours = sqliteTable("queue_hours", {
	hour: integer("hour").primaryKey(),
	waiting: integer("waiting").notNull(),
	ageMs: integer("age_ms").notNull(),
});

/**
 * Suspensions, restorations and erasures of agents. A sweep hides or shows the tasks, or erases the data, that the operator's request did
 * not reach, and then deletes the row.
 */
export const standingChanges = sqliteTable("standing_changes", {
	/** The id of the action's entry in the audit log. */
	id: text("id").primaryKey(),
	agentId: text("agent_id").notNull(),
	at: integer("at").notNull(),
	/** The last task from which the sweep has erased the agent. Empty before the first page. */
	erasedUpTo: text("erased_up_to").notNull().default(""),
});

/** Agents' reports to the operators. Each is about either a task or a submission. */
export const abuseReports = sqliteTable(
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
		/** When an operator resolved the report. The operator's reason is in the audit log. Null while the report is open. */
		resolvedAt: integer("resolved_at"),
	},
	(table) => [
		check("report_subject", sql`(task_id is not null) + (submission_id is not null) = 1`),
		index("reports_reporter").on(table.reporterId, table.id),
		index("reports_open").on(table.id).where(sql`resolved_at is null`),
		index("reports_resolved").on(table.id).where(sql`resolved_at is not null`),
	],
);
