import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import type { TaskDatabase } from "../../ports/task.ts";
import { taskMigrations } from "./migrations.generated.ts";
import { prepareOnce, readOnce } from "./prepared.ts";
import { type TaskRow, tasks } from "./schema/task.ts";

export function openTaskDatabase(storage: DurableObjectStorage): TaskDatabase {
	return drizzle(storage);
}

/** Returns true if the Task object has its tables. Writes nothing, so the object of an unknown task stays empty. */
export function hasTables(db: TaskDatabase): boolean {
	return db.all(sql`select 1 from sqlite_master where name = 'tasks'`).length > 0;
}

/** Creates the tables, or migrates those of an earlier version. */
export function migrateTaskDatabase(db: TaskDatabase): Promise<void> {
	return migrate(db, taskMigrations);
}

const taskQuery = prepareOnce((db) => db.select().from(tasks).prepare());

/** Returns the object's task, or null before it is created and after it is deleted. */
export const selectTask = readOnce((db): TaskRow | null => taskQuery(db).get() ?? null);

/** Returns the time by which the task's clock is ahead of real time, in milliseconds. */
export function readClockOffset(db: TaskDatabase): number {
	return selectTask(db)?.clockOffsetMs ?? 0;
}

/** Returns the id of the object's task, or null before it is created and after it is deleted. */
export function findTaskId(db: TaskDatabase): string | null {
	return selectTask(db)?.id ?? null;
}
