import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { submissions } from "./submissions.ts";
import { tasks } from "./tasks.ts";
import { trials } from "./trials.ts";

/** What one attempt at an evaluation used of one model, with or without a score. Append-only. */
export const judgeUsage = sqliteTable(
	"judge_usage",
	{
		id: text("id").notNull(),
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		/** What was judged: exactly one of the two. */
		submissionId: text("submission_id").references(() => submissions.id),
		trialId: text("trial_id").references(() => trials.id),
		/** The evaluation that the calls were for. */
		iteration: integer("iteration").notNull(),
		model: text("model").notNull(),
		calls: integer("calls").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
		/** Null where no price is configured. */
		costMicroUsd: integer("cost_micro_usd"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		// By task, for deleting a draft.
		primaryKey({ columns: [table.taskId, table.id] }),
		check("usage_subject", sql`(submission_id is null) <> (trial_id is null)`),
		index("judge_usage_trial").on(table.trialId).where(sql`trial_id is not null`),
	],
);

/** Sums of {@link judgeUsage} by task, kept by a trigger, so that showing them costs one row. */
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

/**
 * Sums of {@link judgeUsage} by poster and UTC day, and by day for the whole deployment, kept by a trigger. D1 runs one write after
 * the other anyway, so one row that every evaluation adds to costs no more than several would.
 */
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
