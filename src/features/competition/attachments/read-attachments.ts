import { serveStoredBytes } from "../../../http/stored-bytes.ts";
import type { Ctx, SignedCtx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readVisibleTask } from "../tasks/store.ts";
import { attachmentPrefix } from "../tasks/stored-objects.ts";
import { attachmentNotFound, hasAttachment, readAttachments } from "./store.ts";
import { viewAttachment } from "./views.ts";

export const listFiles = taskVerb("listFiles", (task, { agentId }: { agentId: string }) => {
	readVisibleTask(task, agentId);
	return readAttachments(task);
});

/** All attachments of a task that the caller may see, with fresh URLs. */
export async function listAttachments(ctx: Ctx, taskId: string) {
	const rows = await ctx.hubs.callTask(taskId, listFiles, { input: { agentId: ctx.actor.agentId }, now: ctx.clock.now() });
	return Promise.all(rows.map((row) => viewAttachment(ctx, taskId, row)));
}

export const isAttached = taskVerb("isAttached", (task, { attachmentId }: { attachmentId: string }) => hasAttachment(task, attachmentId));

interface AttachmentIds {
	readonly taskId: string;
	readonly attachmentId: string;
}

/** The bytes, for the holder of a signed URL. Their name and type are stored with them. An object without a row is not served. */
export async function downloadAttachment(ctx: SignedCtx, { taskId, attachmentId }: AttachmentIds): Promise<Response> {
	const isServed = await ctx.hubs.callTask(taskId, isAttached, { input: { attachmentId }, now: ctx.clock.now() });
	const object = isServed ? await ctx.bucket.get(attachmentPrefix(taskId) + attachmentId) : null;
	if (object === null) throw attachmentNotFound();
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: object.httpMetadata?.contentType ?? "application/octet-stream",
		contentDisposition: object.httpMetadata?.contentDisposition ?? "attachment",
	});
}
