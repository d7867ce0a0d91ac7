// The collector deletes stored objects of the task that nothing refers to, such as those of uploads that broke off.
import { sql } from "drizzle-orm";
import { tasks } from "../../../db/task/schema/task.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskDuty, TaskStore } from "../../../ports/task.ts";
import { artifactOfObject } from "../../judging/artifacts/artifact-index.ts";
import { attachmentPrefix, JOB_OBJECTS, jobPrefix, listObjects, markerKey } from "./stored-objects.ts";

/** A younger object may belong to a request whose verb has not run yet. Its age counts from the end of the upload. */
const MIN_AGE_MS = HOUR_MS;

/** The collector runs a day after creation, two hours after the deadline, when the last uploads have ended, and a day after the close. */
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

/** The files of a dry run stay while it is a reference, and while it may become one: in a draft until its deadline. */
const IS_KEPT = sql.raw(
	"(kind = 'dry_run' and (reference = 1 or exists (select 1 from tasks where tasks.status = 'draft' and tasks.deadline > unixepoch('subsec') * 1000)))",
);

/** Selects the keys that no row of the task refers to. It looks up a few rows for each key, however many the task has. */
export function selectUnreferenced({ id, db }: TaskStore, keys: readonly string[]): string[] {
	const wanted = keys.map((key) => ({ key, owner: artifactOfObject(key), subject: subjectOf(key) }));
	const rows = db.all<{ key: string }>(sql`
		with wanted as materialized (select value->>'key' as key, value->>'owner' as owner, value->>'subject' as subject from json_each(${JSON.stringify(wanted)}))
		select key from wanted
		where key <> ${markerKey(id)}
			and not exists (select 1 from tasks where test_suite_key = wanted.key)
			and not exists (select 1 from attachments where attachments.id = wanted.subject and ${attachmentPrefix(id)} || attachments.id = wanted.key)
			and not exists (select 1 from submissions where submissions.id = wanted.subject and artifact_key = wanted.owner)
			and not exists (select 1 from trials where trials.id = wanted.subject and artifact_key = wanted.owner and (status = 'running' or ${IS_KEPT}))
			and key not in (select ${jobPrefix(id)} || jobs.id || '/' || value || '.json' from jobs, json_each(${JSON.stringify(JOB_OBJECTS)}))`);
	return rows.map(({ key }) => key);
}

/** Reads the id in a key, which follows the kind of the object. `stored-objects.ts` lists all kinds. */
function subjectOf(key: string): string {
	const [, , , subject = ""] = key.split("/");
	return subject.replace(/\..+$/, "");
}

/** @throws what R2 throws, after all other objects were deleted: a locked one does not stop the collector. */
async function deleteUnreferenced(task: TaskStore, deps: Deps): Promise<void> {
	const latest = task.now - MIN_AGE_MS;
	const faults: unknown[] = [];
	for await (const objects of listObjects(deps, task.id)) {
		const old = objects.filter(({ uploaded }) => uploaded.getTime() <= latest).map(({ key }) => key);
		const unreferenced = old.length === 0 ? [] : selectUnreferenced(task, old);
		if (unreferenced.length === 0) continue;
		try {
			await deps.bucket.delete(unreferenced);
			deps.log.info("objects_collected", { task_id: task.id, count: unreferenced.length });
		} catch (error) {
			faults.push(error);
		}
	}
	if (faults.length > 0) throw faults[0];
}

export const collectObjects = {
	name: "collect",
	dueAt,
	work: deleteUnreferenced,
	run: (task: TaskStore) => {
		task.db.update(tasks).set({ collectedAt: task.now }).run();
	},
} satisfies TaskDuty & { work: typeof deleteUnreferenced };
