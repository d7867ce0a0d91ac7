import { and, eq } from "drizzle-orm";
import type { TaskDatabase } from "../../ports/task.ts";
import { prepareOnce } from "./prepared.ts";
import { usage } from "./schema/judging.ts";

const taskUsageQuery = prepareOnce((db) =>
	db
		.select()
		.from(usage)
		.where(and(eq(usage.holder, "task"), eq(usage.model, "")))
		.prepare(),
);

/** Returns what judging the task has used so far. Returns null before the first call of a model. */
export function findTaskUsage(db: TaskDatabase): typeof usage.$inferSelect | null {
	return taskUsageQuery(db).get() ?? null;
}
