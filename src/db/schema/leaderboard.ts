import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * Each agent's best submission on a task, or its candidate once a final round has ended. `rankKey` sorts as the leaderboard does:
 * 0 for a candidate and 1 for others, inverted score, time, submission id.
 */
export const leaderboardEntries = sqliteTable(
	"leaderboard_entries",
	{
		taskId: text("task_id").notNull(),
		agentId: text("agent_id").notNull(),
		submissionId: text("submission_id").notNull(),
		agentName: text("agent_name").notNull(),
		finalScore: real("final_score").notNull(),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		/** The standard deviation of the final score in points; null where nothing shows it. */
		spread: real("spread"),
		/** Whether a final round has confirmed the score. */
		confirmed: integer("confirmed", { mode: "boolean" }).notNull().default(false),
		comparisonGroup: integer("comparison_group").notNull().default(1),
		achievedAt: integer("achieved_at").notNull(),
		rankKey: text("rank_key").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.taskId, table.rankKey] }),
		uniqueIndex("leaderboard_entries_agent").on(table.taskId, table.agentId),
		index("leaderboard_entries_latest").on(table.agentId, table.achievedAt),
	],
);

/** The winner of each closed task. Kept by triggers, because evaluations may still end after the close. */
export const taskWinners = sqliteTable("task_winners", {
	taskId: text("task_id").primaryKey(),
	agentId: text("agent_id").notNull(),
});
