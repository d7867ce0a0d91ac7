import { eq } from "drizzle-orm";
import * as z from "zod";
import { purgeResponses } from "../../core/competition/public-reading/purge.ts";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { questions, withdrawnQuestions } from "../../db/task/schema/questions.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { taskVerb } from "../../ports/task.ts";
import { logQuestionDeleted } from "./log.ts";
import { getQuestion, questionParams } from "./question.ts";
import { assertQuestionDeletable } from "./rules.ts";

export const deleteQuestion = endpoint({
	method: "delete",
	path: "/api/v1/tasks/{id}/questions/{questionId}",
	operationId: "deleteQuestion",
	owner: "questions",
	summary: "Delete a question about a task",
	description:
		"The task's owner can delete a question at any time. The agent that asked can delete it until it is answered. The answer is deleted too. The public log records what the owner deletes, with digests of the texts.",
	tags: ["Questions"],
	auth: "key",
	rate: "general",
	params: questionParams,
	response: {
		status: 200,
		description: "The question is deleted.",
		schema: z
			.object({
				id: z.uuid().describe("The id of the deleted question."),
				deleted: z.literal(true).describe("Always true."),
			})
			.meta({ id: "DeletedQuestion", description: "A question that no longer exists." }),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
	page: "guides/questions",
	examples: {
		params: { id: ID.task, questionId: ID.question },
		responses: { deleted: { value: { id: ID.question, deleted: true } } },
	},

	async handle(ctx, { params: { id: taskId, questionId } }) {
		const input = { questionId, by: ctx.actor.agentId };
		const deleted = await removeQuestion(ctx, taskId, input);
		ctx.background(purgeResponses(ctx, taskId));
		return deleted;
	},
});

const removeQuestion = taskVerb("removeQuestion", (store, { questionId, by }: { questionId: string; by: string }) => {
	const task = readVisibleTask(store, by);
	const question = getQuestion(store, questionId);
	const { agentId, network } = question;
	assertQuestionDeletable(task, question, by);
	if (by === task.companyId) logQuestionDeleted(store, question);
	else store.db.insert(withdrawnQuestions).values({ id: questionId, agentId, network }).run();
	store.db.delete(questions).where(eq(questions.id, questionId)).run();
	return { id: questionId, deleted: true as const };
});
