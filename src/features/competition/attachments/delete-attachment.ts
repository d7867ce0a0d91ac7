import { eq } from "drizzle-orm";
import { attachments } from "../../../db/task/schema/task.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readOwnTask } from "../tasks/store.ts";
import { attachmentPrefix } from "../tasks/stored-objects.ts";
import { attachmentNotFound, hasAttachment } from "./store.ts";

export const detach = taskVerb("detach", (task, { by, attachmentId }: { by: string; attachmentId: string }) => {
	readOwnTask(task, by);
	if (!hasAttachment(task, attachmentId)) throw attachmentNotFound();
	task.db.delete(attachments).where(eq(attachments.id, attachmentId)).run();
	return { id: attachmentId, deleted: true as const };
});

/** Deletes the row, then the object in the background. If the second step fails, the task's collector repeats it. */
export async function deleteAttachment(ctx: Ctx, { taskId, attachmentId }: { taskId: string; attachmentId: string }) {
	const input = { by: ctx.actor.agentId, attachmentId };
	const deleted = await ctx.hubs.callTask(taskId, detach, { input, now: ctx.clock.now() });
	ctx.background(ctx.bucket.delete(attachmentPrefix(taskId) + attachmentId));
	return deleted;
}
