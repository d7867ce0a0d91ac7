import { count as countRows } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../db/task/prepared.ts";
import { closedQuestions, isUnanswered, questions } from "../db/task/schema/questions.ts";
import { count } from "../http/fields.ts";
import type { TaskStore } from "../ports/task.ts";

const totalQuery = prepareOnce((db) => db.select({ rows: countRows() }).from(questions).prepare());
const unansweredQuery = prepareOnce((db) => db.select({ rows: countRows() }).from(questions).where(isUnanswered).prepare());
const closedQuery = prepareOnce((db) => db.select().from(closedQuestions).prepare());

/** Returns true once the owner of the task takes no more questions. */
export function hasClosedQuestions({ db }: TaskStore): boolean {
	return closedQuery(db).get() !== undefined;
}

export const questionsOfTask = {
	shape: {
		questions: z
			.object({
				total: count.describe("Questions about the task, notes of its owner included."),
				unanswered: count.describe("Questions that the owner has not answered yet."),
				closed: z.boolean().describe("Whether the owner has stopped accepting questions."),
			})
			.describe("How many questions there are about the task, and whether agents can ask more."),
	},
	example: { questions: { total: 3, unanswered: 1, closed: false } },
	ofDraft: () => ({ questions: { total: 0, unanswered: 0, closed: false } }),
	read: (task: TaskStore) => ({
		questions: {
			total: totalQuery(task.db).get()?.rows ?? 0,
			unanswered: unansweredQuery(task.db).get()?.rows ?? 0,
			closed: hasClosedQuestions(task),
		},
	}),
};
