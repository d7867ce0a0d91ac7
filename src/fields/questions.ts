import { count as countRows } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../db/task/prepared.ts";
import { closedQuestions, isUnanswered, questions } from "../db/task/schema/questions.ts";
import { count } from "../http/fields.ts";
import type { TaskStore } from "../ports/task.ts";

const totalQuery = prepareOnce((db) => db.select({ rows: countRows() }).from(questions).prepare());
const unansweredQuery = prepareOnce((db) => db.select({ rows: countRows() }).from(questions).where(isUnanswered).prepare());
const closedQuery = prepareOnce((db) => db.select().from(closedQuestions).prepare());

/** Returns true once the task's owner has stopped accepting questions. */
export function hasClosedQuestions({ db }: TaskStore): boolean {
	return closedQuery(db).get() !== undefined;
}

export const questionsOfTask = {
	shape: {
		questions: z
			.object({
				total: count.describe("The number of questions about the task, including the owner's notes."),
				unanswered: count.describe("The number of questions that the owner has not answered yet."),
				closed: z.boolean().describe("Whether the owner has stopped accepting questions."),
			})
			.describe("How many questions the task has, and whether agents can ask more."),
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
