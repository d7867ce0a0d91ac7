import { and, count, eq, type SQL } from "drizzle-orm";
import * as z from "zod";
import { purgeResponses } from "../../core/competition/public-reading/purge.ts";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { findPayer, isNetwork } from "../../core/identity/network-caps/payer.ts";
import { repeatableVerb } from "../../db/task/replies.ts";
import { isUnanswered, type QuestionRow, questions, withdrawnQuestions } from "../../db/task/schema/questions.ts";
import { ID } from "../../domain/example-story.ts";
import { hasClosedQuestions } from "../../fields/questions.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, text } from "../../http/fields.ts";
import { replyWith } from "../../http/repeated-calls.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { partOf } from "../../platform/ids.ts";
import type { TaskStore } from "../../ports/task.ts";
import { exampleQuestion, questionView, toQuestionTask, viewQuestion } from "./question.ts";
import { assertMayAsk, assertMayNote, assertNotClosed, assertTakesQuestions, MAX_NOTES, MAX_QUESTION_CHARACTERS } from "./rules.ts";

export const askQuestion = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/questions",
	operationId: "askQuestion",
	owner: "questions",
	summary: "Ask a question about a task",
	description: [
		"Everyone can read the question. It appears under your leaderboard pseudonym. The task must be open. You can have 3 unanswered questions on it, and all anonymous agents of your network together can have 20. A question that you delete before it is answered still counts. Also returns `CONFLICT` if the owner has stopped accepting questions (`questions.closed` of the task).",
		`A question by the task's owner is a note to all competitors. A note counts as answered, and the owner can still write notes after closing the questions. A task has at most ${MAX_NOTES} notes.`,
	].join("\n\n"),
	tags: ["Questions"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: {
		schema: z
			.object({
				text: text({ min: 1, max: MAX_QUESTION_CHARACTERS }).describe("The question. Do not identify yourself: everyone can read it."),
			})
			.meta({ id: "AskQuestionRequest", description: "A question about a task." }),
		required: true,
	},
	idempotent: true,
	response: { status: 201, description: "The question.", schema: questionView },
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "CONFLICT"],
	page: "guides/questions",
	examples: {
		params: { id: ID.task },
		bodies: { question: { value: { text: exampleQuestion.text } } },
		responses: { asked: { value: exampleQuestion } },
	},

	async handle(ctx, { params: { id: taskId }, body, repeatable }) {
		const { agentId } = ctx.actor;
		const { ofTask } = await findPayer(ctx, taskId);
		const input = {
			...{ id: ctx.ids.nextIn(partOf(taskId)), agentId, network: isNetwork(ofTask) ? ofTask : null },
			...{ text: body.text, textSha256: await sha256Hex(body.text) },
		};
		const reply = await storeQuestion(ctx, taskId, { repeatable, input });
		ctx.background(purgeResponses(ctx, taskId));
		return replyWith(await viewQuestion(ctx, reply.output, ctx.actor), reply);
	},
});

interface NewQuestion extends Pick<QuestionRow, "id" | "agentId" | "text" | "network"> {
	/** In lower-case hex. Workers of an earlier version do not send it. */
	readonly textSha256?: string;
}

const storeQuestion = repeatableVerb("storeQuestion", (store, input: NewQuestion) => {
	const task = readVisibleTask(store, input.agentId);
	const earlier = store.db.select().from(questions).where(eq(questions.id, input.id)).get();
	if (earlier !== undefined) return { id: earlier.id, task: toQuestionTask(task), row: earlier };
	assertTakesQuestions(task, store.now);
	const isNote = input.agentId === task.companyId;
	if (isNote) assertMayNote(countQuestions(store, eq(questions.isNote, true)));
	else {
		assertNotClosed(hasClosedQuestions(store));
		assertMayAsk(countUnanswered(store, input));
	}
	const unanswered = { answer: null, answerSha256: null, answeredAt: isNote ? store.now : null };
	const row: QuestionRow = { ...input, textSha256: input.textSha256 ?? null, isNote, ...unanswered, createdAt: store.now };
	store.db.insert(questions).values(row).run();
	const ids = { taskId: store.id, questionId: row.id };
	store.record(isNote ? { type: "question.answered", ...ids, askerId: null } : { type: "question.asked", ...ids });
	return { id: row.id, task: toQuestionTask(task), row };
});

/** Counts unanswered questions, including those that the asker has deleted. */
function countUnanswered(task: TaskStore, { agentId, network }: Pick<QuestionRow, "agentId" | "network">) {
	const countBy = (asked: SQL, withdrawn: SQL) =>
		countQuestions(task, and(asked, isUnanswered)) +
		(task.db.select({ rows: count() }).from(withdrawnQuestions).where(withdrawn).get()?.rows ?? 0);
	return {
		ofAgent: countBy(eq(questions.agentId, agentId), eq(withdrawnQuestions.agentId, agentId)),
		ofNetwork: network === null ? 0 : countBy(eq(questions.network, network), eq(withdrawnQuestions.network, network)),
	};
}

function countQuestions({ db }: TaskStore, isCounted: SQL | undefined): number {
	return db.select({ rows: count() }).from(questions).where(isCounted).get()?.rows ?? 0;
}
