import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, taskId } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { assertDeletable } from "./rules.ts";
import { readOwnTask } from "./store.ts";

export const removeTask = taskVerb("removeTask", (task, { by }: { by: string }) => {
	assertDeletable(readOwnTask(task, by));
	task.record({ type: "task.updated", taskId: task.id });
	task.destroy();
	return { id: task.id, deleted: true as const };
});

export const deleteTask = endpoint({
	method: "delete",
	path: "/api/v1/tasks/{id}",
	operationId: "deleteTask",
	summary: "Delete a draft",
	description: [
		"Deletes a draft with its rubric, attachments and test suite. A published task cannot be deleted.",
		"Attachments and test suite go with the draft. Their URLs return 404 at once.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The draft is deleted.",
		schema: z.object({ id: taskId, deleted: z.literal(true).describe("Always true.") }),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "INVALID_TRANSITION"],
	page: "concepts/tasks",
	examples: { params: { id: ID.task }, responses: { deleted: { value: { id: ID.task, deleted: true } } } },

	handle: (ctx, { params }) => removeTask(ctx, params.id, { by: ctx.actor.agentId }),
});
