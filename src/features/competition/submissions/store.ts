// This file has the SQL of the submissions inside a Task object. Verbs of every feature of the competition use it.
import { eq, sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { type ReviewRow, reviews } from "../../../db/task/schema/reviews.ts";
import { type SubmissionRow, submissions } from "../../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { readTask } from "../tasks/store.ts";

type NewSubmissionRow = typeof submissions.$inferInsert;

export function submissionNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such submission that you can see. GET /api/v1/submissions lists yours." });
}

/**
 * Returns the id of a submission's task. The look-up began with the request, so it rarely costs time here.
 *
 * @throws AppError `NOT_FOUND`.
 */
export async function locateSubmission(deps: Deps, submissionId: string): Promise<string> {
	const taskId = await deps.locate(submissionId);
	if (taskId === null) throw submissionNotFound();
	return taskId;
}

const reviewQuery = prepareOnce((db) =>
	db
		.select()
		.from(reviews)
		.where(eq(reviews.submissionId, sql.placeholder("submissionId")))
		.prepare(),
);

const submissionQuery = prepareOnce((db) =>
	db
		.select()
		.from(submissions)
		.where(eq(submissions.id, sql.placeholder("id")))
		.prepare(),
);

export function findSubmission({ db }: TaskStore, submissionId: string): SubmissionRow | null {
	return submissionQuery(db).get({ id: submissionId }) ?? null;
}

/** Returns the owner's last decision on a submission. */
export function findReview({ db }: TaskStore, submissionId: string): ReviewRow | null {
	return reviewQuery(db).get({ submissionId }) ?? null;
}

/** @throws AppError `NOT_FOUND`. */
export function getSubmissionRow(task: TaskStore, submissionId: string): SubmissionRow {
	const row = findSubmission(task, submissionId);
	if (row === null) throw submissionNotFound();
	return row;
}

/**
 * Reads a submission that only its agent and the task's owner see.
 *
 * @throws AppError `NOT_FOUND` for others.
 */
export function getVisibleSubmission(
	store: TaskStore,
	submissionId: string,
	agentId: string,
): { task: TaskRow; submission: SubmissionRow } {
	const [submission, task] = [getSubmissionRow(store, submissionId), readTask(store)];
	if (agentId !== submission.agentId && agentId !== task.companyId) throw submissionNotFound();
	return { task, submission };
}

/**
 * Reads a submission for a change by its agent.
 *
 * @throws AppError `NOT_FOUND` for strangers, `FORBIDDEN` for the task's owner.
 */
export function getOwnSubmission(store: TaskStore, submissionId: string, agentId: string): { task: TaskRow; submission: SubmissionRow } {
	const found = getVisibleSubmission(store, submissionId, agentId);
	if (found.submission.agentId === agentId) return found;
	throw new AppError("FORBIDDEN", { message: "Only the agent that made the submission may do this." });
}

export function insertSubmission(task: TaskStore, row: Omit<NewSubmissionRow, "createdAt" | "updatedAt">): SubmissionRow {
	task.markSubmission(row.id);
	return task.db
		.insert(submissions)
		.values({ ...row, createdAt: task.now, updatedAt: task.now })
		.returning()
		.get();
}

/** Changes a submission and raises its revision, so that its card is written. */
export function updateSubmission(task: TaskStore, submissionId: string, change: Partial<NewSubmissionRow>): void {
	task.db
		.update(submissions)
		.set({ ...change, revision: sql`${submissions.revision} + 1`, updatedAt: task.now })
		.where(eq(submissions.id, submissionId))
		.run();
	task.markSubmission(submissionId);
}
