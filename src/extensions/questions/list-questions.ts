import { and, desc, lt, sql } from "drizzle-orm";
import * as z from "zod";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { questions } from "../../db/task/schema/questions.ts";
import { ID } from "../../domain/example-story.ts";
import { hasClosedQuestions } from "../../fields/questions.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf, readPageBefore } from "../../http/pagination.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { taskVerb } from "../../ports/task.ts";
import { exampleAnsweredQuestion, exampleQuestion, questionView, toQuestionTask, viewQuestions } from "./question.ts";

export const listQuestionsQuery = z.object({ limit: limitParameter({ max: 100, default: 50 }), cursor: cursorParameter });

export const listQuestions = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/questions",
	operationId: "listQuestions",
	owner: "questions",
	summary: "List the questions about a task",
	description: "Lists questions with their answers, and notes by the task's owner, newest first.",
	tags: ["Questions"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: listQuestionsQuery,
	response: {
		status: 200,
		description: "A page of questions.",
		schema: pageOf(questionView, "The questions, newest first.").meta({
			id: "QuestionList",
			description: "A page of the questions about a task.",
		}),
	},
	errors: ["NOT_FOUND"],
	page: "guides/questions",
	examples: {
		params: { id: ID.task },
		query: { limit: "50" },
		responses: {
			page: {
				value: {
					data: [{ ...exampleAnsweredQuestion, is_mine: exampleQuestion.is_mine }],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	handle: (ctx, { params, query }) => readQuestionPage(ctx, { taskId: params.id, agentId: ctx.actor.agentId, ...query }),
});

/** @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` for a malformed cursor. */
export async function readQuestionPage(
	ctx: PublicCtx,
	{ taskId, agentId, ...query }: z.output<typeof listQuestionsQuery> & { readonly taskId: string; readonly agentId: string },
) {
	return readPageBefore(query, {
		select: async (page) => viewQuestions(ctx, await readQuestions(ctx, taskId, { agentId, only: null, ...page }), { agentId }),
		view: (question) => question,
	});
}

export const readQuestions = taskVerb(
	"readQuestions",
	(
		store,
		{
			agentId,
			before,
			limit,
			only,
		}: { readonly agentId: string; readonly before: string | null; readonly limit: number; readonly only: "notes" | "questions" | null },
	) => {
		const task = readVisibleTask(store, agentId);
		const isOlder = before === null ? undefined : lt(questions.id, before);
		// The values are literals, so that SQLite can use the partial index on notes.
		const isOfKind = only === null ? undefined : only === "notes" ? sql`is_note = 1` : sql`is_note = 0`;
		const rows = store.db.select().from(questions).where(and(isOlder, isOfKind)).orderBy(desc(questions.id)).limit(limit).all();
		return { task: toQuestionTask(task), rows, isClosed: hasClosedQuestions(store) };
	},
);
