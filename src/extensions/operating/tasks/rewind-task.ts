// After a task's object was rewound, its revisions must continue after those in the directory, and cards of deleted rows must be found.

import { sql } from "drizzle-orm";
import { updateJob, wakeTime } from "../../../core/competition/judgements/jobs.ts";
import { taskNotFound } from "../../../core/competition/tasks/store.ts";
import { jobs } from "../../../db/task/schema/judging.ts";
import { submissions } from "../../../db/task/schema/submissions.ts";
import { tasks } from "../../../db/task/schema/task.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { MORE_TIME_MS } from "./jobs.ts";

/** Returns when the task was created, in milliseconds since the epoch. */
export const readAge = taskVerb("readAge", ({ db }, _: null) => {
	// Operators verify objects with this verb, so it reads the table instead of the object's memory.
	const row = db.select({ createdAt: tasks.createdAt }).from(tasks).get();
	if (row === undefined) throw taskNotFound();
	return row;
});

/**
 * Raises every revision to the current time in milliseconds.
 * No revision has ever been that high, so cards and streams treat the restored state as newer than every state before it. Jobs begin again.
 */
export const raiseRevisions = taskVerb("raiseRevisions", (task, _: null): void => raiseAll(task));

/** Like {@link raiseRevisions}, as part of another change. */
export function raiseAll(task: TaskStore): void {
	const { db, now } = task;
	db.update(tasks)
		.set({
			revision: sql`max(${tasks.revision}, ${now})`,
			stateRevision: sql`max(${tasks.stateRevision}, ${now})`,
			boardRevision: sql`max(${tasks.boardRevision}, ${now})`,
			indexedState: null,
		})
		.run();
	db.update(submissions)
		.set({ waitingFor: null, revision: sql`max(${submissions.revision}, ${now})` })
		.run();
	for (const job of db.select().from(jobs).all()) {
		const next = { ...job, state: "ready", claimToken: null, reserved: null, wait: null, waitedMs: 0, continuedMs: 0, dueAt: now } as const;
		const giveUpAt = Math.max(job.giveUpAt, now + MORE_TIME_MS);
		updateJob(task, job, { ...next, giveUpAt, wakeAt: wakeTime({ ...next, giveUpAt }, now) });
	}
	task.markTask();
	task.record({ type: "task.updated", taskId: task.id });
}

/** Selects the ids that do not exist in this task. */
export const findUnknownIds = taskVerb("findUnknownIds", ({ db, parts }, { ids }: { ids: readonly string[] }): string[] => {
	const conditions = parts.holdings.flatMap(({ locate }) => (locate === undefined ? [] : [sql`value not in (${locate})`]));
	const rows = db.all<{ id: string }>(
		sql`select value as id from json_each(${JSON.stringify(ids)}) where ${sql.join(conditions, sql` and `)}`,
	);
	return rows.map(({ id }) => id);
});
