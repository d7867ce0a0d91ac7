// Reads of a task's parts that several features use.
import { and, asc, eq, sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";
import { prepareRead } from "./prepared.ts";
import { criteria, tasks } from "./schema/tasks.ts";
import { trials } from "./schema/trials.ts";

/** The columns that lists show of a task. */
export const listedTaskColumns = {
	id: tasks.id,
	title: tasks.title,
	description: tasks.description,
	category: tasks.category,
	deadline: tasks.deadline,
	budgetCents: tasks.budgetCents,
	evalMode: tasks.evalMode,
	status: tasks.status,
	competitorCount: tasks.competitorCount,
	createdAt: tasks.createdAt,
};

/** The rubric of a task, in order. Takes `taskId`. */
export const readCriteria = prepareRead((query) =>
	query
		.select()
		.from(criteria)
		.where(eq(criteria.taskId, sql.placeholder("taskId")))
		.orderBy(asc(criteria.position), asc(criteria.name)),
);

/** The cases of a task's judge check, in their order. Takes `taskId`. */
export const readJudgeCheck = prepareRead((query) =>
	query
		.select({
			name: trials.name,
			status: trials.status,
			finalScore: trials.finalScore,
			expectedAtMost: trials.expectedAtMost,
			blame: trials.blame,
			finishedAt: trials.finishedAt,
		})
		.from(trials)
		.where(and(eq(trials.taskId, sql.placeholder("taskId")), sql`kind = 'judge_check'`))
		.orderBy(asc(trials.createdAt), asc(trials.id)),
);

/** What decides who may see a task: one row, or none for an unknown task. */
export function selectTaskAccess(query: Database["query"], taskId: string) {
	return query.select({ companyId: tasks.companyId, status: tasks.status, hidden: tasks.hidden }).from(tasks).where(eq(tasks.id, taskId));
}
