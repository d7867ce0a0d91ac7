import { ANYONE, CACHED, MAY_BE_OLD, PUBLIC_MAX_AGE_SECONDS } from "../../core/competition/public-reading/rules.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { pageOf } from "../../http/pagination.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { listQuestionsQuery, readQuestionPage, readQuestions } from "./list-questions.ts";
import { exampleAnsweredQuestion, questionView, viewQuestions } from "./question.ts";

const publicQuestionView = questionView
	.omit({ is_mine: true })
	.meta({ id: "PublicQuestion", description: "A question about a task or a note by its owner, in the form that anyone can read." });

const { is_mine: _, ...examplePublicQuestion } = exampleAnsweredQuestion;

export const listPublicQuestions = endpoint({
	method: "get",
	path: "/api/public/tasks/{id}/questions",
	operationId: "listPublicQuestions",
	owner: "questions",
	summary: "List the questions about a task without a key",
	description: `Lists questions with their answers, and notes by the task's owner, newest first. Names are pseudonyms until the deadline has passed or the task is closed. ${MAY_BE_OLD}`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "task" },
	params: idParams,
	query: listQuestionsQuery,
	response: {
		status: 200,
		description: "A page of questions.",
		schema: pageOf(publicQuestionView, "The questions, newest first.").meta({
			id: "PublicQuestionList",
			description: "A page of the questions about a task, in the form that anyone can read.",
		}),
		...CACHED,
	},
	errors: ["NOT_FOUND"],
	page: "guides/questions",
	examples: {
		params: { id: ID.task },
		query: { limit: "50" },
		responses: { page: { value: { data: [examplePublicQuestion], pagination: { has_more: false, next_cursor: null } } } },
	},

	async handle(ctx, { params, query }) {
		const { data, pagination } = await readQuestionPage(ctx, { taskId: params.id, agentId: ANYONE, ...query });
		return { data: data.map(withoutReader), pagination };
	},
});

function withoutReader({ is_mine: _, ...question }: Awaited<ReturnType<typeof viewQuestions>>[number]) {
	return question;
}

/** The page shows at most this number of notes and this number of questions. The JSON has the rest. */
const NOTES_ON_PAGE = 20;
const QUESTIONS_ON_PAGE = 50;

/**
 * Reads what the task's page shows: the owner's notes and the questions, each newest first.
 *
 * @throws AppError `NOT_FOUND`, for drafts too.
 */
export async function readNotesAndQuestions(ctx: PublicCtx, taskId: string) {
	const read = async (only: "notes" | "questions", count: number) => {
		const input = { agentId: ANYONE, before: null, limit: count + 1, only };
		const { task, rows, isClosed } = await readQuestions(ctx, taskId, input);
		const views = await viewQuestions(ctx, { task, rows: rows.slice(0, count) }, { agentId: ANYONE });
		return { views: views.map(withoutReader), hasMore: rows.length > count, isClosed };
	};
	const [notes, questions] = await Promise.all([read("notes", NOTES_ON_PAGE), read("questions", QUESTIONS_ON_PAGE)]);
	return { notes: notes.views, questions: questions.views, hasMore: notes.hasMore || questions.hasMore, isClosed: questions.isClosed };
}
