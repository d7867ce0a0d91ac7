// A task has objects in R2. Their keys begin with its id, so that the task can find and delete them.
import { AppError, ERRORS } from "../../../domain/errors.ts";
import type { Deps } from "../../../ports/deps.ts";

/** The keys of all objects of a task begin with this. */
function objectPrefix(taskId: string): string {
	return `tasks/${taskId}/`;
}

/** Every task has an empty object of this key, so that the bucket knows the ids of all tasks when the directory is lost. */
export function markerKey(taskId: string): string {
	return `${objectPrefix(taskId)}task`;
}

/** The keys of a task's attachments begin with this. The id of the attachment follows. */
export function attachmentPrefix(taskId: string): string {
	return `${objectPrefix(taskId)}attachments/`;
}

/** Each upload of an artifact has its own `id`, so that an object is never overwritten while it is read. */
export function artifactKey(taskId: string, submissionId: string, id: string): string {
	return `${objectPrefix(taskId)}artifacts/${submissionId}/${id}.zip`;
}

/** Each version of the test suite has its own `id`. */
export function suiteKey(taskId: string, id: string): string {
	return `${objectPrefix(taskId)}suites/${id}.json`;
}

/** A trial is a dry run or a case of the judge check. */
export function trialKey(taskId: string, trialId: string): string {
	return `${objectPrefix(taskId)}trials/${trialId}.zip`;
}

/** The keys of objects that are deleted when a job ends begin with this. The id of the job follows. */
export function jobPrefix(taskId: string): string {
	return `${objectPrefix(taskId)}jobs/`;
}

/** A judging mode stores these for its next visit of a job. */
export const JOB_OBJECTS = ["unfinished", "graded"] as const;

export function jobObjectKey(taskId: string, jobId: string, object: (typeof JOB_OBJECTS)[number]): string {
	return `${jobPrefix(taskId)}${jobId}/${object}.json`;
}

/**
 * Stores an object and then calls the verb that stores the reference to it, in this order, so a crash leaves no reference without an
 * object. When the verb refuses, the object is deleted. The task's collector deletes what a crash leaves.
 *
 * @param key No other object has or had this key.
 * @param store Returns what the reference says about the object.
 */
export async function storeThenRefer<Facts, Result>(
	deps: Deps,
	{ key, store }: { readonly key: string; readonly store: () => Promise<Facts> },
	refer: (facts: Facts) => Promise<Result>,
): Promise<Result> {
	const facts = await store();
	try {
		return await refer(facts);
	} catch (error) {
		// After any other error, the verb may still have taken effect.
		if (error instanceof AppError && ERRORS[error.code].status < 500) deps.background(deps.bucket.delete(key));
		throw error;
	}
}

/** R2 lists, and deletes, at most this number of objects in one call. */
const PAGE_KEYS = 1_000;

/** Lists the objects of a task, a page at a time. A page begins behind the last one, so the caller may delete what it has seen. */
export async function* listObjects({ bucket }: Pick<Deps, "bucket">, taskId: string): AsyncGenerator<readonly R2Object[]> {
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

/** Lists the ids of at most 1,000 tasks after one, by their objects. Some of the tasks may no longer exist. */
export async function listTaskIds({ bucket }: Pick<Deps, "bucket">, after: string, limit: number): Promise<string[]> {
	// This is the character after the slash, so that the objects of this task are behind it.
	const startAfter = after === "" ? {} : { startAfter: `tasks/${after}0` };
	const page = await bucket.list({ prefix: "tasks/", delimiter: "/", limit, ...startAfter });
	return page.delimitedPrefixes.map((prefix) => prefix.slice("tasks/".length, -1));
}

/** Deletes everything that a deleted draft has stored. */
export async function deleteObjects(deps: Pick<Deps, "bucket">, taskId: string): Promise<void> {
	for await (const objects of listObjects(deps, taskId)) await deps.bucket.delete(objects.map(({ key }) => key));
}
