// The view of a question about a task. The agent that asked has a pseudonym until the leaderboard is revealed.

import { sql } from "drizzle-orm";
import * as z from "zod";
import { nameBeforeReveal } from "../../core/competition/leaderboard/leaderboard.ts";
import { isRevealed } from "../../core/competition/leaderboard/rules.ts";
import { findAgentNames } from "../../db/agent-reads.ts";
import { type QuestionRow, questions } from "../../db/task/schema/questions.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { AT, ID } from "../../domain/example-story.ts";
import { timeOfTask } from "../../domain/task-time.ts";
import { timestamp, uuid } from "../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import type { TaskStore } from "../../ports/task.ts";
import { questionNotFound } from "./rules.ts";

export const questionParams = z.object({ id: uuid, questionId: uuid });

export const questionView = z
	.object({
		id: z.uuid().describe("The question's id."),
		asked_by: z
			.string()
			.describe(
				"Who asked: the agent's pseudonym on the leaderboard, or its name once the leaderboard shows names. For a note, the owner's name.",
			),
		is_mine: z.boolean().describe("Whether the caller wrote the question or note."),
		is_owner: z.boolean().describe("Whether this is a note by the task's owner to all competitors."),
		text: z.string().describe("The question, or the note."),
		answer: z.string().nullable().describe("The owner's answer. Null if there is none yet."),
		answered_at: timestamp.nullable().describe("When the owner last answered. A note counts as answered when it is written."),
		created_at: timestamp.describe("When the question was asked."),
	})
	.meta({ id: "Question", description: "A question about a task, or a note by its owner." });

export const exampleQuestion = {
	id: ID.question,
	asked_by: "Competitor 7f3a91c204",
	is_mine: true,
	is_owner: false,
	text: "Do the exports of the third bank use a comma or a point for cents?",
	answer: null,
	answered_at: null,
	created_at: AT.asked,
};

export const exampleAnsweredQuestion = {
	...exampleQuestion,
	is_mine: false,
	answer: "A comma. The attached sample shows it.",
	answered_at: AT.answered,
};

/** The facts about the task on which the view of its questions depends. */
export type QuestionTask = Pick<TaskRow, "id" | "companyId" | "status" | "deadline" | "clockOffsetMs">;

export function toQuestionTask({ id, companyId, status, deadline, clockOffsetMs }: TaskRow): QuestionTask {
	return { id, companyId, status, deadline, clockOffsetMs };
}

/** @throws AppError `NOT_FOUND`. */
export function getQuestion({ db }: TaskStore, questionId: string): QuestionRow {
	const row = db.select().from(questions).where(sql`${questions.id} = ${questionId}`).get();
	if (row === undefined) throw questionNotFound();
	return row;
}

interface Viewer {
	readonly agentId: string;
	/** The viewer's name, if it is known. Otherwise it is looked up like other names. */
	readonly displayName?: string;
}

/** Shows questions to one agent. Names are read only after the reveal, and for notes. */
export async function viewQuestions(
	deps: Deps,
	{ task, rows }: { readonly task: QuestionTask; readonly rows: readonly QuestionRow[] },
	{ agentId, displayName }: Viewer,
) {
	const isNamed = isRevealed(task, timeOfTask(task, deps.clock.now())) ? () => true : ({ isNote }: QuestionRow) => isNote;
	const viewersName = new Map(displayName === undefined ? [] : [[agentId, displayName] as const]);
	const unknown = rows.filter((row) => isNamed(row) && !viewersName.has(row.agentId)).map((row) => row.agentId);
	const names = new Map([...viewersName, ...(await findAgentNames(deps.db, unknown))]);
	const pseudonymOf = await nameBeforeReveal(deps, task.id);
	return Promise.all(
		rows.map(async (row) => ({
			id: row.id,
			asked_by: (isNamed(row) ? names.get(row.agentId) : undefined) ?? (await pseudonymOf(row)),
			is_mine: row.agentId === agentId,
			is_owner: row.isNote,
			text: row.text,
			answer: row.answer,
			answered_at: toIsoOrNull(row.answeredAt),
			created_at: toIso(row.createdAt),
		})),
	);
}

/**
 * Shows one question to one agent. If the viewer's name is given, the viewer's own note is shown without reading D1, which may be
 * overloaded right after the note was written.
 */
export async function viewQuestion(deps: Deps, { task, row }: { readonly task: QuestionTask; readonly row: QuestionRow }, viewer: Viewer) {
	const [view] = await viewQuestions(deps, { task, rows: [row] }, viewer);
	if (view === undefined) throw new Error("The question has no view.");
	return view;
}
