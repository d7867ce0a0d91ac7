import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What judging a task has used, for the list of tasks by cost. The object of the task counts for itself, and exactly. */
export const taskJudgeUsage = sqliteTable("task_judge_usage", {
	taskId: text("task_id").primaryKey(),
	calls: integer("calls").notNull(),
	inputTokens: integer("input_tokens").notNull(),
	outputTokens: integer("output_tokens").notNull(),
	/** The cost of calls whose price is known; null when no price is known. */
	costMicroUsd: integer("cost_micro_usd"),
});

/** The holder of the sums over all posters in {@link judgeUsageDays}. */
export const DEPLOYMENT = "deployment";

/** What judging has used, by poster and UTC day, and by day for the whole deployment. */
export const judgeUsageDays = sqliteTable(
	"judge_usage_days",
	{
		/** The id of a poster, or {@link DEPLOYMENT}. */
		holder: text("holder").notNull(),
		/** Such as 2026-11-22. */
		day: text("day").notNull(),
		calls: integer("calls").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
		/** Null when no price is known. */
		costMicroUsd: integer("cost_micro_usd"),
	},
	(table) => [primaryKey({ columns: [table.holder, table.day] }), index("judge_usage_days_day").on(table.day)],
);
