// The objects of a task in R2. Their keys begin with the task's id, so that the task can find and delete them.

import { sql } from "drizzle-orm";
import { selectTask } from "../../../db/task/database.ts";
import { tasks } from "../../../db/task/schema/task.ts";
import { AppError, ERRORS } from "../../../domain/errors.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskDuty, TaskStore } from "../../../ports/task.ts";
import { artifactOfObject } from "../../judging/artifacts/artifact-index.ts";

/** The prefix of the keys of all objects of a task. */
function objectPrefix(taskId: string): string {
	return `tasks/${taskId}/`;
}

/** Every task has an empty object with this key, so that the ids of all tasks can be listed from the bucket if the directory is lost. */
export function markerKey(taskId: string): string {
	return `${objectPrefix(taskId)}task`;
}

/** The prefix of the keys of a task's attachments. The attachment's id follows. */
export function attachmentPrefix(taskId: string): string {
	return `${objectPrefix(taskId)}attachments/`;
}

/** Each upload of an artifact has its own `id`, so that no object is overwritten while someone reads it. */
export function artifactKey(taskId: string, submissionId: string, id: string): string {
	return `${objectPrefix(taskId)}artifacts/${submissionId}/${id}.zip`;
}

/** Each version of the test suite has its own `id`. */
export function suiteKey(taskId: string, id: string): string {
	return `${objectPrefix(taskId)}suites/${id}.json`;
}

/** A trial is a dry run, or a case of the judge check. */
export function trialKey(taskId: string, trialId: string): string {
	return `${objectPrefix(taskId)}trials/${trialId}.zip`;
}

/** The prefix of the keys of objects that are deleted when a job ends. The job's id follows. */
export function jobPrefix(taskId: string): string {
	return `${objectPrefix(taskId)}jobs/`;
}

/** The prefix of the keys of copies of the Task object. The name of the copy follows. */
export function copyPrefix(taskId: string): string {
	return `${objectPrefix(taskId)}copy/`;
}

/** Objects that a judging mode stores for the job's next attempt. */
export const JOB_OBJECTS = ["unfinished", "graded"] as const;

export function jobObjectKey(taskId: string, jobId: string, object: (typeof JOB_OBJECTS)[number]): string {
	return `${jobPrefix(taskId)}${jobId}/${object}.json`;
}

/**
 * Stores an object, then calls the verb that stores the reference to it. In this order, a crash never leaves a reference without an object.
 * If the verb rejects the request, the object is deleted. After a crash, the task's collector deletes it.
 *
 * @param key Must never have been used before.
 * @param store Returns what the reference stores about the object.
 */
export async function storeThenRefer<Facts, Result>(
	deps: Deps,
	{ key, store }: { readonly key: string; readonly store: () => Promise<Facts> },
	refer: (facts: Facts) => Promise<Result>,
): Promise<Result> {
	const facts = await store();
	return referTo(deps, [key], () => refer(facts));
}

/**
 * Calls a verb that stores a reference to objects, and deletes the objects in the background if the verb rejects the request. After any
 * other error, the verb may have taken effect, so deleting them is left to the collector.
 */
export async function referTo<Result>(
	{ background, bucket }: Pick<Deps, "background" | "bucket">,
	keys: string[],
	refer: () => Promise<Result>,
): Promise<Result> {
	try {
		return await refer();
	} catch (error) {
		if (isRefusal(error) && keys.length > 0) background(bucket.delete(keys));
		throw error;
	}
}

/** Returns true if the error proves that the verb changed nothing. */
function isRefusal(error: unknown): boolean {
	return error instanceof AppError && ERRORS[error.code].status < 500;
}

/** R2 lists or deletes at most this number of objects per call. */
const PAGE_KEYS = 1_000;

/**
 * Lists the objects of a task, a page at a time. Each page starts after the last key of the previous one, so the caller may delete objects
 * that it has seen.
 */
async function* listObjects({ bucket }: Pick<Deps, "bucket">, taskId: string): AsyncGenerator<readonly R2Object[]> {
	let after: string | undefined;
	do {
		const page: R2Objects = await bucket.list({
			prefix: objectPrefix(taskId),
			limit: PAGE_KEYS,
			...(after === undefined ? {} : { startAfter: after }),
		});
		if (page.objects.length > 0) yield page.objects;
		after = page.truncated ? page.objects.at(-1)?.key : undefined;
	} while (after !== undefined);
}

/** Lists the ids of at most 1,000 tasks after a given one, from the keys in the bucket. Some of the tasks may no longer exist. */
export async function listTaskIds({ bucket }: Pick<Deps, "bucket">, after: string, limit: number): Promise<string[]> {
	// In ASCII, 0 comes right after the slash, so this skips all objects of the previous task.
	const startAfter = after === "" ? {} : { startAfter: `tasks/${after}0` };
	const page = await bucket.list({ prefix: "tasks/", delimiter: "/", limit, ...startAfter });
	return page.delimitedPrefixes.map((prefix) => prefix.slice("tasks/".length, -1));
}

/** Deletes all objects of a task that was deleted. */
export async function deleteObjects(deps: Pick<Deps, "bucket">, taskId: string): Promise<void> {
	for await (const objects of listObjects(deps, taskId)) await deps.bucket.delete(objects.map(({ key }) => key));
}

// The collector deletes objects that nothing refers to, for example after an upload that was cut off.

/** A younger object may belong to a request whose verb has not run yet. The age counts from the end of the upload. */
const MIN_AGE_MS = HOUR_MS;

/** The collector runs a day after creation, two hours after the deadline (when the last uploads have ended), and a day after the close. */
function dueAt({ db }: TaskStore): number | null {
	const task = selectTask(db);
	if (task === null) return null;
	const times = [task.createdAt + DAY_MS, task.deadline + 2 * HOUR_MS, ...(task.closedAt === null ? [] : [task.closedAt + DAY_MS])];
	const ahead = times.filter((at) => at > task.collectedAt);
	return ahead.length === 0 ? null : Math.min(...ahead);
}

/**
 * The folders in the keys above. The collector deletes objects in folders that are not in this list. If no part of this platform uses a
 * folder in the list, its objects belong to a missing extension, so the collector keeps them.
 */
const FOLDERS = ["attachments", "artifacts", "suites", "trials", "jobs", "copy"] as const;

/** Selects the keys that no row of the task refers to. Looks up only a few rows per key, however large the task is. */
export function selectUnreferenced({ id, db, parts }: Pick<TaskStore, "id" | "db" | "parts">, keys: readonly string[]): string[] {
	const wanted = keys.map((key) => ({ key, owner: artifactOfObject(key), ...placeOf(key) }));
	const cases = parts.holdings
		.flatMap(({ referencedKeys }) => Object.entries(referencedKeys ?? {}))
		.map(([folder, isReferenced]) => sql`when ${folder} then not ${isReferenced(id)}`);
	const rows = db.all<{ key: string }>(sql`
		with wanted as materialized (
			select value->>'key' as key, value->>'owner' as owner, value->>'folder' as folder, value->>'subject' as subject
			from json_each(${JSON.stringify(wanted)}))
		select key from wanted where case folder ${sql.join(cases, sql` `)}
			else key <> ${markerKey(id)} and folder not in (select value from json_each(${JSON.stringify(FOLDERS)})) end`);
	return rows.map(({ key }) => key);
}

/** Splits a key into its folder and the id that follows. */
function placeOf(key: string) {
	const [, , folder = "", subject = ""] = key.split("/");
	return { folder, subject: subject.replace(/\..+$/, "") };
}

/** @throws The first error of a delete call, but only after trying all pages, so that a locked object does not stop the collector. */
async function deleteUnreferenced(task: TaskStore, deps: Deps): Promise<void> {
	const latest = task.realNow - MIN_AGE_MS;
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
	isInRealTime: true,
	dueAt,
	work: deleteUnreferenced,
	run: (task: TaskStore) => {
		task.db.update(tasks).set({ collectedAt: task.realNow }).run();
	},
} satisfies TaskDuty & { work: typeof deleteUnreferenced };
