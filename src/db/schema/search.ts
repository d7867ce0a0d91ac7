import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The tasks that the full-text index `task_search` holds: all but drafts. The index knows them by number, in order of
 * publication. Triggers of the migrations keep both in step with `tasks`, in the batch of every change.
 */
export const searchedTasks = sqliteTable("searched_tasks", {
	document: integer("document").primaryKey(),
	taskId: text("task_id").notNull().unique(),
});
