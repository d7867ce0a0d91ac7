import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { isOneOf } from "./one-of.ts";
import { tasks } from "./tasks.ts";

export const ATTACHMENT_FIELDS = ["description", "input_spec", "output_spec"] as const;

/** A file that belongs to one field of a task's text. */
export const attachments = sqliteTable(
	"attachments",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		field: text("field", { enum: ATTACHMENT_FIELDS }).notNull(),
		filename: text("filename").notNull(),
		contentType: text("content_type").notNull(),
		fileSize: integer("file_size").notNull(),
		description: text("description"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [check("attachment_field", isOneOf("field", ATTACHMENT_FIELDS)), index("attachments_task").on(table.taskId, table.id)],
);
