import { commit, decideAndCommit } from "../../db/commit.ts";
import { keepObject } from "../../db/discarded-objects.ts";
import { AppError } from "../../domain/errors.ts";
import type { TaskStatus } from "../../domain/task-status.ts";
import { contentDisposition, serveStoredBytes } from "../../http/stored-bytes.ts";
import { HOUR_MS, toIso } from "../../platform/clock.ts";
import { signUrl } from "../../platform/signed-url.ts";
import type { Ctx, Deps, PublicCtx, SignedCtx } from "../../ports/deps.ts";
import { assertOwner, canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/service.ts";
import { readAttachmentForm, type UploadedFile } from "./form.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

export const DOWNLOAD_URL_TTL_MS = HOUR_MS;
/** An object that was stored this long ago and still has no row never gets one. */
const ABANDONED_MS = HOUR_MS;

const objectKey = (taskId: string, attachmentId: string): string => `attachments/${taskId}/${attachmentId}`;
const downloadPath = (taskId: string, attachmentId: string): string => `/api/tasks/${taskId}/attachments/${attachmentId}/content`;

/**
 * Attaches a file to the caller's task. The object is noted as discarded before it is stored, and the commit of its row takes
 * that back: a crash in between leaves nothing that the sweep does not find.
 */
export async function addAttachment(ctx: Ctx, taskId: string, request: Request) {
	const file = await readAttachmentForm(request);
	const attachmentId = ctx.ids.next();
	const key = objectKey(taskId, attachmentId);
	let isStored = false;
	try {
		return await decideAndCommit(ctx.db, async () => {
			const now = ctx.clock.now();
			const found = await store.reserveObject(ctx, { taskId, agentId: ctx.actor.agentId, key, dueAt: now + ABANDONED_MS });
			assertOwnTask(ctx, found.task);
			rules.assertRoomForAttachment(found.rows.length);
			if (!isStored) await storeObject(ctx, key, file);
			isStored = true;
			const row = newAttachmentRow({ attachmentId, taskId, file, now });
			await commit(ctx.db, [
				statements.guardCount(ctx, taskId, rules.MAX_ATTACHMENTS),
				statements.insertAttachment(ctx, row),
				keepObject(ctx.db, key),
			]);
			return await viewAttachment(ctx, row);
		});
	} catch (error) {
		// An unknown fault may have struck after the commit, so only a known refusal gives the object up.
		if (error instanceof AppError && isStored) ctx.background(ctx.bucket.delete(key));
		throw error;
	}
}

function assertOwnTask(ctx: Ctx, task: { companyId: string; status: TaskStatus } | null): void {
	if (task === null || !canSeeTask(task, ctx.actor.agentId)) throw taskNotFound();
	assertOwner(task, ctx.actor.agentId);
}

async function storeObject(deps: Deps, key: string, file: UploadedFile): Promise<void> {
	await deps.bucket.put(key, file.bytes, {
		httpMetadata: {
			contentType: rules.servedContentType(file.contentType),
			contentDisposition: contentDisposition(file.filename),
		},
	});
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

/** All attachments of a task that the caller may see, with fresh addresses. */
export async function listAttachments(ctx: Ctx, taskId: string) {
	const { task, rows } = await store.findAttachments(ctx, taskId);
	if (task === null || !canSeeTask(task, ctx.actor.agentId)) throw taskNotFound();
	return Promise.all(rows.map((row) => viewAttachment(ctx, row)));
}

async function viewAttachment(ctx: PublicCtx, row: store.AttachmentRow) {
	const path = downloadPath(row.taskId, row.id);
	const expiresAt = ctx.clock.now() + DOWNLOAD_URL_TTL_MS;
	const query = await signUrl(ctx.config.secretsKey, { method: "GET", path, expiresAt, maxBytes: null });
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

/** Deletes the row, then the object. When the second step fails, the sweep repeats it. */
export function deleteAttachment(ctx: Ctx, { taskId, attachmentId }: { taskId: string; attachmentId: string }) {
	return decideAndCommit(ctx.db, async () => {
		const { task, rows } = await store.findAttachments(ctx, taskId);
		assertOwnTask(ctx, task);
		if (!rows.some(({ id }) => id === attachmentId)) throw attachmentNotFound();
		const key = objectKey(taskId, attachmentId);
		await commit(ctx.db, [
			statements.guardAttachment(ctx, attachmentId),
			...statements.deleteAttachment(ctx, attachmentId, { key, dueAt: ctx.clock.now() }),
		]);
		await ctx.bucket.delete(key);
		return { id: attachmentId, deleted: true as const };
	});
}

function attachmentNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "The task has no such attachment. GET /api/tasks/{id}/attachments lists those it has." });
}

/** The bytes, for the holder of a signed URL. Their name and type are stored with them. */
export async function downloadAttachment(ctx: SignedCtx, ids: { taskId: string; attachmentId: string }): Promise<Response> {
	const object = await ctx.bucket.get(objectKey(ids.taskId, ids.attachmentId));
	if (object === null) throw attachmentNotFound();
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: object.httpMetadata?.contentType ?? "application/octet-stream",
		contentDisposition: object.httpMetadata?.contentDisposition ?? "attachment",
	});
}

const SWEEP_BATCH = 200;

/** Deletes objects that lost their row or never got one. */
export async function removeDiscardedObjects(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	const keys = await store.selectDiscarded(deps, { now, limit: SWEEP_BATCH });
	if (keys.length === 0) return;
	await deps.bucket.delete(keys);
	await store.forgetDiscarded(deps, keys, now);
}
