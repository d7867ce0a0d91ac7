import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The last 256 states that each task and submission has gone through, numbered from 1 in the order of their commits.
 * Triggers (`db/triggers.sql`) write them, so streams see the changes that any verb makes.
 */
export const stateChanges = sqliteTable(
	"state_changes",
	{
		/** The id of a task or a submission. */
		subjectId: text("subject_id").notNull(),
		number: integer("number").notNull(),
		/** JSON of the watched columns after the change. */
		state: text("state").notNull(),
	},
	(table) => [primaryKey({ columns: [table.subjectId, table.number] })],
);

/**
 * Every publication of a task, numbered in the order of their commits: what the stream of new bounties sends, and resumes from.
 * A trigger (`db/triggers.sql`) writes it.
 */
export const openings = sqliteTable("openings", {
	number: integer("number").primaryKey(),
	taskId: text("task_id").notNull(),
});

/** How often anything that a task's leaderboard shows has changed, so that of two readings the newer one is known. */
export const leaderboardRevisions = sqliteTable("leaderboard_revisions", {
	taskId: text("task_id").primaryKey(),
	revision: integer("revision").notNull(),
});
