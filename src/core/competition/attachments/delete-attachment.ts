import { eq } from "drizzle-orm";
import * as z from "zod";
import { attachments, judgedAttachments } from "../../../db/task/schema/task.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { taskVerb } from "../../../ports/task.ts";
import { logAttachment } from "../public-log/log.ts";
import { readOwnTask, touchDraft } from "../tasks/store.ts";
import { attachmentPrefix } from "../tasks/stored-objects.ts";
import { attachmentNotFound, attachmentParams, exampleParams } from "./attachment.ts";

export const deleteAttachment = endpoint({
	method: "delete",
	path: "/api/tasks/{id}/attachments/{attachmentId}",
	operationId: "deleteAttachment",
	summary: "Delete an attachment",
	description:
		"Only the task's owner can delete attachments. The file is deleted at once, and its signed URLs stop working. The judge of a published task still reads the files that the task was published with.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	params: attachmentParams,
	response: {
		status: 200,
		description: "The attachment is deleted.",
		schema: z.object({
			id: z.uuid().describe("The id of the deleted attachment."),
			deleted: z.literal(true).describe("Always true: the file is gone."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
	examples: {
		params: exampleParams,
		responses: { deleted: { value: { id: ID.attachment, deleted: true } } },
	},

	// If deleting the object in the background fails, the task's collector deletes it.
	async handle(ctx, { params: { id: taskId, attachmentId } }) {
		const input = { by: ctx.actor.agentId, attachmentId };
		const deleted = await removeAttachment(ctx, taskId, input);
		ctx.background(ctx.bucket.delete(attachmentPrefix(taskId) + attachmentId));
		return deleted;
	},
});

const removeAttachment = taskVerb("removeAttachment", (task, { by, attachmentId }: { by: string; attachmentId: string }) => {
	const { status } = readOwnTask(task, by);
	const deleted = task.db.delete(attachments).where(eq(attachments.id, attachmentId)).returning().get();
	if (deleted === undefined) throw attachmentNotFound();
	if (status !== "draft") logAttachment(task, "attachment_removed", deleted);
	else task.db.delete(judgedAttachments).where(eq(judgedAttachments.id, attachmentId)).run();
	touchDraft(task);
	return { id: attachmentId, deleted: true as const };
});
