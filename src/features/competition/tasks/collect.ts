// The collector: deletes stored objects of the task that nothing refers to, such as those of uploads that broke off.
import { sql } from "drizzle-orm";
import { tasks } from "../../../db/task/schema/task.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskDuty, TaskStore } from "../../../ports/task.ts";
import { attachmentPrefix, JOB_OBJECTS, jobPrefix, listObjects, markerKey } from "./stored-objects.ts";

/** A younger object may belong to a request whose verb has not run yet. Its age counts from the end of the upload. */
const MIN_AGE_MS = HOUR_MS;

/** A day after creation, two hours after the deadline, when the last uploads have ended, and a day after the close. */
function dueAt({ db }: TaskStore): number | null {
	const task = db
		.select({ createdAt: tasks.createdAt, deadline: tasks.deadline, closedAt: tasks.closedAt, collectedAt: tasks.collectedAt })
		.from(tasks)
		.get();
	if (task === undefined) return null;
	const times = [task.createdAt + DAY_MS, task.deadline + 2 * HOUR_MS, ...(task.closedAt === null ? [] : [task.closedAt + DAY_MS])];
	const ahead = times.filter((at) => at > task.collectedAt);
	return ahead.length === 0 ? null : Math.min(...ahead);
}

/** Those of the keys that no row of the task refers to. */
function selectUnreferenced({ id, db }: TaskStore, keys: readonly string[]): string[] {
	const rows = db.all<{ key: string }>(sql`
		with referenced(key) as (
			select test_suite_key from tasks
			union all select ${attachmentPrefix(id)} || id from attachments
			union all select artifact_key from submissions
			union all select artifact_key from trials where status = 'running'
			union all select ${jobPrefix(id)} || jobs.id || '/' || value || '.json' from jobs, json_each(${JSON.stringify(JOB_OBJECTS)}))
		select value as key from json_each(${JSON.stringify(keys)})
		where value not in (select key from referenced where key is not null)`);
	return rows.map(({ key }) => key);
}

async function deleteUnreferenced(task: TaskStore, deps: Deps): Promise<void> {
	const latest = task.now - MIN_AGE_MS;
	for await (const objects of listObjects(deps, task.id)) {
		const old = objects.filter(({ key, uploaded }) => uploaded.getTime() <= latest && key !== markerKey(task.id)).map(({ key }) => key);
		const unreferenced = old.length === 0 ? [] : selectUnreferenced(task, old);
		if (unreferenced.length === 0) continue;
		await deps.bucket.delete(unreferenced);
		deps.log.info("objects_collected", { task_id: task.id, count: unreferenced.length });
	}
}

export const collectObjects = {
	name: "collect",
	dueAt,
	work: deleteUnreferenced,
	run: (task: TaskStore) => {
		task.db.update(tasks).set({ collectedAt: task.now }).run();
	},
} satisfies TaskDuty & { work: typeof deleteUnreferenced };
