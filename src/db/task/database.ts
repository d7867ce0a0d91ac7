import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import type { TaskDatabase } from "../../ports/task.ts";
import { taskMigrations } from "./migrations.generated.ts";
import { prepareOnce } from "./prepared.ts";
import { tasks } from "./schema/task.ts";

export function openTaskDatabase(storage: DurableObjectStorage): TaskDatabase {
	return drizzle(storage);
}

/** Returns true if the object has its tables. It does not write anything, so an object for an unknown task stays empty. */
export function hasTables(db: TaskDatabase): boolean {
	return db.all(sql`select 1 from sqlite_master where name = 'tasks'`).length > 0;
}

/** Creates the tables, or migrates those of an earlier version. */
export function migrateTaskDatabase(db: TaskDatabase): Promise<void> {
	return migrate(db, taskMigrations);
}

const clockQuery = prepareOnce((db) => db.select({ offsetMs: tasks.clockOffsetMs }).from(tasks).prepare());

/** Returns by how many milliseconds the task's clock is ahead of real time. */
export function readClockOffset(db: TaskDatabase): number {
	return clockQuery(db).get()?.offsetMs ?? 0;
}

const taskIdQuery = prepareOnce((db) => db.select({ id: tasks.id }).from(tasks).prepare());

/** Returns the id of the object's task, or null before it is created and after it is deleted. */
export function findTaskId(db: TaskDatabase): string | null {
	return taskIdQuery(db).get()?.id ?? null;
}
