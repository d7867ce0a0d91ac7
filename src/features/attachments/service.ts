import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { readFormWithFile } from "../../http/form.ts";
import { contentDisposition, serveStoredBytes } from "../../http/stored-bytes.ts";
import { HOUR_MS, toIso } from "../../platform/clock.ts";
import { signUrl } from "../../platform/signed-url.ts";
import type { Ctx, Deps, PublicCtx, SignedCtx } from "../../ports/deps.ts";
import { parseAttachmentForm, type UploadedFile } from "../competition/attachments/form.ts";
import * as rules from "../competition/attachments/rules.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { decideWithObject, type StoredObjects } from "../stored-objects/service.ts";
import { assertOwner, canSeeTask } from "../tasks/rules.ts";
import { canReadTask, taskNotFound } from "../tasks/service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

export const DOWNLOAD_URL_TTL_MS = HOUR_MS;

/** The files that are attached to tasks, under the ids of task and attachment. */
export const attachmentObjects: StoredObjects = {
	prefix: rules.OBJECT_PREFIX,
	selectUnreferenced: (deps, keys) => store.selectUnreferenced(deps, keys.map(rules.parseObjectKey)),
};

const downloadPath = (taskId: string, attachmentId: string): string => `/api/tasks/${taskId}/attachments/${attachmentId}/content`;

/** Attaches a file to the caller's task. */
export async function addAttachment(ctx: Ctx, taskId: string, request: Request) {
	const file = parseAttachmentForm(await readFormWithFile(request, rules.MAX_ATTACHMENT_BYTES, ctx.clock));
	const attachmentId = ctx.ids.next();
	const key = rules.objectKey(taskId, attachmentId);
	return decideWithObject(ctx, { of: attachmentObjects, key, store: () => storeFile(ctx, key, file) }, async ({ put }) => {
		const { task, rows } = await store.findAttachments(ctx, taskId);
		assertOwnTask(ctx, task);
		rules.assertRoomForAttachment(rows.length);
		await put();
		const row = newAttachmentRow({ attachmentId, taskId, file, now: ctx.clock.now() });
		await commit(ctx.db, [
			statements.guardCount(ctx, taskId, rules.MAX_ATTACHMENTS),
			statements.insertAttachment(ctx, row),
			...(await countForNetwork(ctx, ctx.actor.agentId, { bytes: row.fileSize })),
		]);
		return viewAttachment(ctx, row);
	});
}

function assertOwnTask(ctx: Ctx, task: Parameters<typeof canSeeTask>[0] | null): void {
	if (task === null || !canSeeTask(task, ctx.actor.agentId)) throw taskNotFound();
	assertOwner(task, ctx.actor.agentId);
}

async function storeFile(deps: Deps, key: string, file: UploadedFile): Promise<void> {
	await deps.bucket.put(key, file.bytes, {
		httpMetadata: {
			contentType: rules.servedContentType(file.contentType),
			contentDisposition: contentDisposition(file.filename),
		},
	});
}

interface AttachmentIds {
	readonly taskId: string;
	readonly attachmentId: string;
}

interface NewAttachment {
	readonly attachmentId: string;
	readonly taskId: string;
	readonly file: UploadedFile;
	readonly now: number;
}

function newAttachmentRow({ attachmentId, taskId, file, now }: NewAttachment): store.AttachmentRow {
	return {
		id: attachmentId,
		taskId,
		field: file.field,
		filename: file.filename,
		contentType: file.contentType,
		fileSize: file.bytes.byteLength,
		description: file.description,
		createdAt: now,
	};
}

/** All attachments of a task that the caller may see, with fresh URLs. */
export async function listAttachments(ctx: Ctx, taskId: string) {
	const { task, rows } = await store.findAttachments(ctx, taskId);
	if (task === null || !(await canReadTask(ctx, task, ctx.actor.agentId))) throw taskNotFound();
	return Promise.all(rows.map((row) => viewAttachment(ctx, row)));
}

async function viewAttachment(ctx: PublicCtx, row: store.AttachmentRow) {
	const path = downloadPath(row.taskId, row.id);
	const expiresAt = ctx.clock.now() + DOWNLOAD_URL_TTL_MS;
	const query = await signUrl(ctx.config.keys, { method: "GET", path, expiresAt, maxBytes: null });
	return {
		id: row.id,
		field: row.field,
		filename: row.filename,
		file_size: row.fileSize,
		content_type: row.contentType,
		description: row.description,
		download_url: `${ctx.baseUrl}${path}?${query}`,
		created_at: toIso(row.createdAt),
	};
}

/** Deletes the row, then the object in the background. If the second step fails, the collector repeats it. */
export function deleteAttachment(ctx: Ctx, { taskId, attachmentId }: AttachmentIds) {
	return decideAndCommit(ctx.db, async () => {
		const { task, rows } = await store.findAttachments(ctx, taskId);
		assertOwnTask(ctx, task);
		if (!rows.some(({ id }) => id === attachmentId)) throw attachmentNotFound();
		await commit(ctx.db, [statements.guardAttachment(ctx, attachmentId), statements.deleteAttachment(ctx, attachmentId)]);
		ctx.background(ctx.bucket.delete(rules.objectKey(taskId, attachmentId)));
		return { id: attachmentId, deleted: true as const };
	});
}

export function attachmentNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "The task has no such attachment. GET /api/tasks/{id}/attachments lists those it has." });
}

/** The bytes, for the holder of a signed URL. Their name and type are stored with them. An object without a row is not served. */
export async function downloadAttachment(ctx: SignedCtx, { taskId, attachmentId }: AttachmentIds): Promise<Response> {
	const isAttached = await store.hasAttachment(ctx, taskId, attachmentId);
	const object = isAttached ? await ctx.bucket.get(rules.objectKey(taskId, attachmentId)) : null;
	if (object === null) throw attachmentNotFound();
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: object.httpMetadata?.contentType ?? "application/octet-stream",
		contentDisposition: object.httpMetadata?.contentDisposition ?? "attachment",
	});
}
