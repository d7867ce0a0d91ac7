import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, taskId } from "../../../http/fields.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { sweepUntouchedDrafts } from "../directory/anonymous-drafts.ts";
import { assertDeletable } from "./rules.ts";
import { readOwnTask, readTask } from "./store.ts";

export const removeTask = taskVerb("removeTask", (task, { by }: { by: string }) => {
	assertDeletable(readOwnTask(task, by));
	destroyTask(task);
	return { id: task.id, deleted: true as const };
});

/**
 * Deletes the draft unless it has changed since `upTo`. Returns false if it has changed and is still a draft: its row in `anonymous_drafts`
 * must stay. A published task no longer needs that row.
 */
const removeUntouchedDraft = taskVerb("removeUntouchedDraft", (task, { upTo }: { upTo: number }): boolean => {
	const { status, touchedAt } = readTask(task);
	if (status !== "draft") return true;
	if (touchedAt > upTo) return false;
	destroyTask(task);
	return true;
});

export function destroyTask(task: TaskStore): void {
	task.record({ type: "task.updated", taskId: task.id });
	task.destroy();
}

/** Deletes the drafts of anonymous agents that no person has claimed, once the drafts have not changed for 30 days. */
export function deleteUntouchedDrafts(deps: Deps): Promise<void> {
	// A row of `anonymous_drafts` can exist without its draft, if the request that created the draft died.
	return sweepUntouchedDrafts(deps, async (taskId, upTo) => (await unlessDeleted(removeUntouchedDraft(deps, taskId, { upTo }))) ?? true);
}

export const deleteTask = endpoint({
	method: "delete",
	path: "/api/v1/tasks/{id}",
	operationId: "deleteTask",
	summary: "Delete a draft",
	description: [
		"Deletes a draft with its rubric, attachments and test suite. A published task cannot be deleted.",
		"From then on, the URLs of its attachments and its test suite return 404.",
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
