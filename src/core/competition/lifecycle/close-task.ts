import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { TASK_TRANSITIONS, taskStatus } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, taskId } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { logClosed } from "../public-log/log.ts";
import { purgeResponses } from "../public-reading/purge.ts";
import { indexNow, readIndexable } from "../search/index-task.ts";
import * as rules from "../tasks/rules.ts";
import { readOwnTask, updateTaskRow } from "../tasks/store.ts";
import { settleTask } from "./settle.ts";

export const closeTask = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/close",
	operationId: "closeTask",
	summary: "Close an open or evaluating task",
	description: [
		"Stops submissions at once and reveals the leaderboard. Running evaluations still finish and count. If the task has a final round, it begins.",
		"If you do not close the task, it closes after its deadline, as soon as running evaluations and any final round have ended.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "mutation",
	params: idParams,
	response: {
		status: 200,
		description: "The task is closed.",
		schema: z.object({ id: taskId, status: taskStatus.describe("The new status of the task.") }),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "INVALID_TRANSITION"],
	page: "concepts/tasks",
	examples: { params: { id: ID.task }, responses: { closed: { value: { id: ID.task, status: "closed" } } } },

	async handle(ctx, { params: { id } }) {
		const indexed = await closeOwnTask(ctx, id, { by: ctx.actor.agentId });
		ctx.background(purgeResponses(ctx, id));
		await indexNow(ctx, indexed);
		return { id, status: "closed" as const };
	},
});

/** Closes the task. In the same transaction, extensions do what they must do when the task ends. */
const closeOwnTask = taskVerb("closeOwnTask", (store, { by }: { by: string }) => {
	const task = readOwnTask(store, by);
	rules.assertClosable(task);
	updateTaskRow(store, { status: TASK_TRANSITIONS.close.to, closedAt: store.now, closedBy: "owner" });
	logClosed(store, "owner");
	store.record({ type: "task.closed", taskId: store.id });
	store.record({ type: "task.status_changed", taskId: store.id, from: task.status, to: "closed" });
	settleTask(store);
	return readIndexable(store);
});
