import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The tasks in the full-text index `task_search` (`db/search.sql`): all but drafts. The index knows them by number, in order of
 * publication. A trigger (`db/triggers.sql`) keeps both in step with `tasks`, in the batch of every change.
 */
export const searchedTasks = sqliteTable("searched_tasks", {
	document: integer("document").primaryKey(),
	taskId: text("task_id").notNull().unique(),
});
