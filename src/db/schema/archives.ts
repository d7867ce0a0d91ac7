import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { tasks } from "./tasks.ts";

/**
 * The parts of each task's archive. A part covers the task's submissions after the part before it, up to `lastId`. A settled task gets
 * no new submissions, so the parts stay as they are and a submission needs no column that names its part.
 */
export const taskArchives = sqliteTable(
	"task_archives",
	{
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		/** The last submission of the part. */
		lastId: text("last_id").notNull(),
		/** The object in R2; null while the rows are back in D1. */
		key: text("key"),
	},
	(table) => [primaryKey({ columns: [table.taskId, table.lastId] })],
);
