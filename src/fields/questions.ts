import { count as countRows } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../db/task/prepared.ts";
import { isUnanswered, questions } from "../db/task/schema/questions.ts";
import { count } from "../http/fields.ts";
import type { TaskStore } from "../ports/task.ts";

const totalQuery = prepareOnce((db) => db.select({ rows: countRows() }).from(questions).prepare());
const unansweredQuery = prepareOnce((db) => db.select({ rows: countRows() }).from(questions).where(isUnanswered).prepare());

export const questionsOfTask = {
	shape: {
		questions: z
			.object({
				total: count.describe("Questions about the task, notes of its owner included."),
				unanswered: count.describe("Questions that the owner has not answered yet."),
			})
			.describe("How many questions there are about the task."),
	},
	example: { questions: { total: 3, unanswered: 1 } },
	ofDraft: () => ({ questions: { total: 0, unanswered: 0 } }),
	read: ({ db }: TaskStore) => ({
		questions: { total: totalQuery(db).get()?.rows ?? 0, unanswered: unansweredQuery(db).get()?.rows ?? 0 },
	}),
};
