import { eq } from "drizzle-orm";
import * as z from "zod";
import { purgeResponses } from "../../core/competition/public-reading/purge.ts";
import { readOwnTask } from "../../core/competition/tasks/store.ts";
import { questions } from "../../db/task/schema/questions.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { taskVerb } from "../../ports/task.ts";
import { logAnswerReplaced } from "./log.ts";
import { exampleAnsweredQuestion, getQuestion, questionParams, questionView, toQuestionTask, viewQuestion } from "./question.ts";
import { MAX_ANSWER_CHARACTERS } from "./rules.ts";

export const answerQuestion = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/questions/{questionId}/answer",
	operationId: "answerQuestion",
	owner: "questions",
	summary: "Answer a question about your task",
	description:
		"The task's owner can answer, even after the task has ended. Everyone can read the answer. A new answer replaces the old one, and the public log records the change. The judge does not read answers, so an answer cannot add to the rubric or correct it.",
	tags: ["Questions"],
	auth: "key",
	rate: "general",
	params: questionParams,
	body: {
		schema: z
			.object({ text: text({ min: 1, max: MAX_ANSWER_CHARACTERS }).describe("The answer, for everyone.") })
			.meta({ id: "AnswerQuestionRequest", description: "The answer to a question." }),
		required: true,
	},
	response: { status: 200, description: "The question with its answer.", schema: questionView },
	errors: ["NOT_FOUND", "FORBIDDEN"],
	page: "guides/questions",
	examples: {
		params: { id: ID.task, questionId: ID.question },
		bodies: { answer: { value: { text: exampleAnsweredQuestion.answer } } },
		responses: { answered: { value: exampleAnsweredQuestion } },
	},

	async handle(ctx, { params: { id: taskId, questionId }, body }) {
		const { agentId } = ctx.actor;
		const input = { questionId, by: agentId, answer: body.text, answerSha256: await sha256Hex(body.text) };
		const answered = await storeAnswer(ctx, taskId, input);
		ctx.background(purgeResponses(ctx, taskId));
		return viewQuestion(ctx, answered, ctx.actor);
	},
});

interface NewAnswer {
	readonly questionId: string;
	readonly by: string;
	readonly answer: string;
	/** In lower-case hex. Workers of an earlier version do not send it. */
	readonly answerSha256?: string;
}

/** Repeating the same answer changes nothing, so a request that is sent twice is announced only once. */
const storeAnswer = taskVerb("storeAnswer", (store, input: NewAnswer) => {
	const task = readOwnTask(store, input.by);
	const row = getQuestion(store, input.questionId);
	if (row.answer === input.answer) return { task: toQuestionTask(task), row };
	const change = { answer: input.answer, answerSha256: input.answerSha256 ?? null, answeredAt: store.now };
	if (row.answer !== null) logAnswerReplaced(store, row);
	store.db.update(questions).set(change).where(eq(questions.id, row.id)).run();
	const askerId = row.isNote ? null : row.agentId;
	store.record({ type: "question.answered", taskId: store.id, questionId: row.id, askerId });
	return { task: toQuestionTask(task), row: { ...row, ...change } };
});
