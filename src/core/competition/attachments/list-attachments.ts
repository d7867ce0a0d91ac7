import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readVisibleTask } from "../tasks/store.ts";
import { attachmentView, exampleAttachment, readAttachments, viewAttachment } from "./attachment.ts";

export const listAttachments = endpoint({
	method: "get",
	path: "/api/tasks/{id}/attachments",
	operationId: "listAttachments",
	summary: "List a task's attachments",
	description: "Lists a task's attachments, oldest first. Only the owner can list the attachments of a draft.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "All attachments.", schema: z.array(attachmentView), carriesSecret: true },
	errors: ["NOT_FOUND"],
	examples: { params: { id: ID.task }, responses: { all: { value: [exampleAttachment] } } },

	async handle(ctx, { params: { id } }) {
		const rows = await readVisibleAttachments(ctx, id, { agentId: ctx.actor.agentId });
		return Promise.all(rows.map((row) => viewAttachment(ctx, id, row)));
	},
});

const readVisibleAttachments = taskVerb("readVisibleAttachments", (task, { agentId }: { agentId: string }) => {
	readVisibleTask(task, agentId);
	return readAttachments(task);
});
