import * as z from "zod";
import { copyPrefix } from "../../core/competition/tasks/stored-objects.ts";
import { commit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { AT, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { count, idParams, taskId, timestamp } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import type { AdminCtx } from "../../ports/deps.ts";
import { auditEntry, reason } from "../operating/admin/audit-entry.ts";
import { followObject } from "../operating/admin/rewind-task.ts";
import { beginFilling, endFilling, fillPage, LAST_TABLE } from "./fill-task.ts";
import { copyFolder, findManifest, type Manifest, readManifest, readStoredPage } from "./manifest.ts";

/** The number of pages, of up to 4 MB each, that one step restores. A step must fit into the time of a request. */
const PAGES_PER_STEP = 25;

const EXAMPLE_COPY_ID = "01a25a10-5b40-7c11-8a6e-0d6f2c1b9a71";

const copyPlace = z.object({
	copy_id: z.uuid().describe("The copy."),
	pages: count.describe("Number of pages that have been restored."),
});

const restoreRequest = z
	.object({ reason, after: copyPlace.optional().describe("The `last` of the previous step. Omit it in the first step.") })
	.meta({ id: "CopyRestoreRequest", description: "A step of restoring a task from its copy." });

const restoredView = z
	.object({
		id: taskId,
		copied_at: timestamp.describe("When the copied state was current."),
		rows: count.describe("Number of rows in the copy."),
		submissions: count.nullable().describe("Number of submissions that the task has now. Null before the last step."),
		removed: count
			.nullable()
			.describe("Number of submissions and dry runs that are not in the copy and were removed from lists. Null before the last step."),
		last: copyPlace.nullable().describe("Send this as `after` in the next step. Null after the last step."),
	})
	.meta({ id: "RestoredCopy", description: "A finished step of restoring a task from its copy." });

export const restoreTaskCopy = endpoint({
	method: "post",
	path: "/api/admin/tasks/{id}/restore-copy",
	operationId: "restoreTaskCopy",
	owner: "copies",
	summary: "Restore a lost task from its copy",
	description:
		"Restores a task whose object was lost. It reads the newest copy in the bucket, starts the task's jobs again, updates lists, and repeats what operators did after the copy was made. Send each `last` as `after` until it is null, as `npm run admin -- restore-task --from copy` does. Returns CONFLICT if the task exists or if a later version of the platform made the copy, and NOT_FOUND if there is no complete copy. Safe to repeat.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	params: idParams,
	body: { schema: restoreRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: restoredView },
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "operating/backup",
	examples: {
		params: { id: ID.task },
		bodies: { lost: { value: { reason: "The account was lost." } } },
		responses: {
			step: {
				value: {
					...{ id: ID.task, copied_at: AT.dealt, rows: 84_120, submissions: null, removed: null },
					last: { copy_id: EXAMPLE_COPY_ID, pages: 25 },
				},
			},
		},
	},

	async handle(ctx, { params: { id: taskId }, body: { reason: why, after } }) {
		const manifest = await findCopy(ctx, taskId, after?.copy_id ?? null);
		if (after === undefined) {
			const copy = { copy_id: manifest.revision, copied_at: toIso(manifest.copied_at) };
			await commit(ctx.db, [
				auditEntry(ctx, { action: "task.restore_copy", target: taskId, reason: why, before: {}, after: copy }).statement,
			]);
		}
		const restored = await fill(ctx, taskId, { manifest, done: after?.pages ?? null });
		const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
		const facts = { id: taskId, copied_at: toIso(manifest.copied_at), rows };
		if (restored !== null) {
			return { ...facts, submissions: null, removed: null, last: { copy_id: manifest.revision, pages: restored } };
		}
		return { ...facts, ...(await followObject(ctx, taskId, manifest.copied_at)), last: null };
	},
});

/** @throws AppError `NOT_FOUND` if the bucket does not have the copy. */
async function findCopy({ bucket }: AdminCtx, taskId: string, revision: string | null): Promise<Manifest> {
	const prefix = copyPrefix(taskId);
	const manifest = await (revision === null ? findManifest(bucket, prefix) : readManifest(bucket, copyFolder(prefix, revision)));
	if (manifest !== null) return manifest;
	throw new AppError("NOT_FOUND", { message: "The bucket has no complete copy of this task." });
}

/** Fills the object with the next pages. Returns how many pages are restored so far, or null once the task is complete. */
async function fill(
	ctx: AdminCtx,
	taskId: string,
	{ manifest, done }: { readonly manifest: Manifest; readonly done: number | null },
): Promise<number | null> {
	if (done === null && !(await beginFilling(ctx, taskId, { revision: manifest.revision, schema: manifest.schema }))) return null;
	const folder = copyFolder(copyPrefix(taskId), manifest.revision);
	const begun = done ?? 0;
	const pages = manifest.pages.filter(({ table }) => table !== LAST_TABLE);
	const step = pages.slice(begun, begun + PAGES_PER_STEP);
	for (const page of step) {
		await fillPage(ctx, taskId, { table: page.table, bytes: await readStoredPage(ctx.bucket, folder, page) });
	}
	if (begun + step.length < pages.length) return begun + step.length;
	const last = manifest.pages.filter(({ table }) => table === LAST_TABLE);
	const bytes = await Promise.all(last.map((page) => readStoredPage(ctx.bucket, folder, page)));
	await endFilling(ctx, taskId, { revision: manifest.revision, tables: manifest.tables, pages: bytes });
	return null;
}
