import { purgeResponses } from "../../core/competition/public-reading/purge.ts";
import { readOwnTask, readTask, updateTaskRow } from "../../core/competition/tasks/store.ts";
import { taskView, viewTask } from "../../core/competition/tasks/task.ts";
import { closedQuestions } from "../../db/task/schema/questions.ts";
import { ID, TASK } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { taskVerb } from "../../ports/task.ts";
import { logQuestionsClosed } from "./log.ts";

export const closeQuestions = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/questions/close",
	isBesideParam: true,
	operationId: "closeQuestions",
	owner: "questions",
	summary: "Stop accepting questions about your task",
	description:
		"The task's owner can do this at any time. New questions are then rejected with `CONFLICT`. You can still answer existing questions and write notes. You cannot undo this. Safe to repeat.",
	tags: ["Questions"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The task no longer accepts questions.", schema: taskView },
	errors: ["NOT_FOUND", "FORBIDDEN"],
	page: "guides/questions",
	examples: { params: { id: ID.task }, responses: { closed: { value: TASK } } },

	async handle(ctx, { params }) {
		const task = await closeOwnQuestions(ctx, params.id, { by: ctx.actor.agentId });
		ctx.background(purgeResponses(ctx, params.id));
		return viewTask(task);
	},
});

const closeOwnQuestions = taskVerb("closeOwnQuestions", (store, { by }: { readonly by: string }) => {
	const { status } = readOwnTask(store, by);
	const closed = store.db.insert(closedQuestions).values({ id: 1, closedAt: store.now }).onConflictDoNothing().returning().all();
	// The change raises the revision, so that the task's ETag changes.
	if (closed.length > 0) {
		if (status !== "draft") logQuestionsClosed(store);
		updateTaskRow(store, {});
	}
	return readTask(store);
});
