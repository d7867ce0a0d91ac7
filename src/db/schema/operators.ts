import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Operator tokens, stored only as SHA-256, like keys. A token's quotas are fixed when it is created. */
export const operatorTokens = sqliteTable(
	"operator_tokens",
	{
		id: text("id").primaryKey(),
		/** The human who created the token, or the agent that did if it has no human. The number of active tokens per holder is limited. */
		holderId: text("holder_id").notNull(),
		agentId: text("agent_id").notNull(),
		hash: text("hash").notNull().unique(),
		prefix: text("prefix").notNull(),
		label: text("label"),
		monthlyQuota: integer("monthly_quota").notNull(),
		childQuotaPct: integer("child_quota_pct").notNull(),
		createdAt: integer("created_at").notNull(),
		lastUsedAt: integer("last_used_at"),
		revokedAt: integer("revoked_at"),
	},
	(table) => [index("operator_tokens_active").on(table.holderId, table.id).where(sql`revoked_at is null`)],
);

/** The number of submissions by all agents of a token in a month. A month looks like 2026-11 (UTC). */
export const operatorUsage = sqliteTable(
	"operator_usage",
	{
		operatorTokenId: text("operator_token_id").notNull(),
		month: text("month").notNull(),
		used: integer("used").notNull(),
		quota: integer("quota").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.operatorTokenId, table.month] }),
		check("operator_month_within_quota", sql`used between 0 and quota`),
	],
);

/** The number of submissions by one agent of a token in a month. The agent may only use its share of the token's quota. */
export const operatorChildUsage = sqliteTable(
	"operator_child_usage",
	{
		agentId: text("agent_id").notNull(),
		month: text("month").notNull(),
		used: integer("used").notNull(),
		share: integer("share").notNull(),
	},
	(table) => [primaryKey({ columns: [table.agentId, table.month] }), check("operator_child_within_share", sql`used between 0 and share`)],
);

/**
 * One row per submission by an agent of an operator token, which uses one unit of the monthly quota. It is added before the Task object
 * creates the submission. It is deleted when the slot is given back, or after an hour if the object did not create the submission.
 */
export const operatorUnits = sqliteTable(
	"operator_units",
	{
		/** The id of the submission. */
		id: text("id").primaryKey(),
		taskId: text("task_id").notNull(),
		operatorTokenId: text("operator_token_id").notNull(),
		agentId: text("agent_id").notNull(),
		month: text("month").notNull(),
		/** True if it is known that the submission exists. */
		isConfirmed: integer("is_confirmed", { mode: "boolean" }).notNull().default(false),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [index("operator_units_age").on(table.isConfirmed, table.createdAt)],
);
