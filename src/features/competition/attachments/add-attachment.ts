import { attachments } from "../../../db/task/schema/task.ts";
import { readFormWithFile } from "../../../http/form.ts";
import { contentDisposition } from "../../../http/stored-bytes.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { countStoredBytes } from "../../identity/network-caps/service.ts";
import { readOwnTask } from "../tasks/store.ts";
import { attachmentPrefix, storeThenRefer } from "../tasks/stored-objects.ts";
import { parseAttachmentForm } from "./form.ts";
import * as rules from "./rules.ts";
import { type AttachmentRow, countAttachments, hasAttachment } from "./store.ts";
import { viewAttachment } from "./views.ts";

/** Asked before the file is stored. */
export const assertTakesAttachment = taskVerb("assertTakesAttachment", (task, { by }: { by: string }) => {
	readOwnTask(task, by);
	rules.assertRoomForAttachment(countAttachments(task));
});

/** Attaches a file that is stored. */
export const attach = taskVerb("attach", (task, { by, row }: { by: string; row: AttachmentRow }) => {
	readOwnTask(task, by);
	if (hasAttachment(task, row.id)) return;
	rules.assertRoomForAttachment(countAttachments(task));
	task.db.insert(attachments).values(row).run();
});

/** Attaches a file to the caller's task. */
export async function addAttachment(ctx: Ctx, taskId: string, request: Request) {
	const file = parseAttachmentForm(await readFormWithFile(request, rules.MAX_ATTACHMENT_BYTES, ctx.clock));
	const { field, filename, contentType, description, bytes } = file;
	await ctx.hubs.callTask(taskId, assertTakesAttachment, { input: { by: ctx.actor.agentId }, now: ctx.clock.now() });
	const row = { id: ctx.ids.next(), field, filename, contentType, description, fileSize: bytes.byteLength, createdAt: ctx.clock.now() };
	await countStoredBytes(ctx, ctx.actor.agentId, row.fileSize);
	const key = attachmentPrefix(taskId) + row.id;
	const httpMetadata = { contentType: rules.servedContentType(contentType), contentDisposition: contentDisposition(filename) };
	await storeThenRefer(ctx, { key, store: () => ctx.bucket.put(key, bytes, { httpMetadata }) }, () =>
		ctx.hubs.callTask(taskId, attach, { input: { by: ctx.actor.agentId, row }, now: ctx.clock.now() }),
	);
	return viewAttachment(ctx, taskId, row);
}
