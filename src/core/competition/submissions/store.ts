// The SQL for submissions in a Task object, for the verbs of all features of the competition.
import { eq, sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { type SubmissionRow, submissions } from "../../../db/task/schema/submissions.ts";
import { entries, type TaskRow } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import type { Payer } from "../../identity/network-caps/payer.ts";
import { findUntouched } from "../judgements/jobs.ts";
import { quotaOf } from "../tasks/rules.ts";
import { readTask, readVisibleTask, updateTaskRow } from "../tasks/store.ts";
import { assertQueueMoves, assertQuotaLeft, assertSubmittable } from "./rules.ts";

type NewSubmissionRow = typeof submissions.$inferInsert;

export function submissionNotFound(): AppError {
	return new AppError("NOT_FOUND", {
		message: "There is no submission with this id, or you cannot see it. GET /api/v1/submissions lists yours.",
	});
}

/**
 * Returns the id of a submission's task. The lookup started with the request, so it has usually finished by now.
 *
 * @throws AppError `NOT_FOUND`.
 */
export async function locateSubmission(deps: Deps, submissionId: string): Promise<string> {
	const taskId = await deps.locate(submissionId);
	if (taskId === null) throw submissionNotFound();
	return taskId;
}

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

/** @throws AppError `NOT_FOUND`. */
export function getSubmissionRow(task: TaskStore, submissionId: string): SubmissionRow {
	const row = findSubmission(task, submissionId);
	if (row === null) throw submissionNotFound();
	return row;
}

/**
 * Reads a submission for its agent or the task's owner.
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
 * Reads a submission that its agent wants to change.
 *
 * @throws AppError `NOT_FOUND` for strangers, `FORBIDDEN` for the task's owner.
 */
export function getOwnSubmission(store: TaskStore, submissionId: string, agentId: string): { task: TaskRow; submission: SubmissionRow } {
	const pair = getVisibleSubmission(store, submissionId, agentId);
	if (pair.submission.agentId === agentId) return pair;
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

/** Changes a submission and raises its revision, so that its card is written again. */
export function updateSubmission(task: TaskStore, submissionId: string, change: Partial<NewSubmissionRow>): void {
	task.db
		.update(submissions)
		.set({ ...change, revision: sql`${submissions.revision} + 1`, updatedAt: task.now })
		.where(eq(submissions.id, submissionId))
		.run();
	task.markSubmission(submissionId);
}

// Slots. Each submission uses one of the agent's slots on the task.

export interface Submitter {
	readonly id: string;
	/** The id of the human or operator behind the submitter, or of the submitter itself. */
	readonly party: string;
	/** The payer of the agent's evaluations. */
	readonly payer: Payer;
}

/** Finds no row for an agent that has never submitted. */
const usedSlotsQuery = prepareOnce((db) =>
	db
		.select({ used: entries.quotaUsed })
		.from(entries)
		.where(eq(entries.agentId, sql.placeholder("agentId")))
		.prepare(),
);

function findUsedSlots({ db }: TaskStore, agentId: string): number | null {
	return usedSlotsQuery(db).get({ agentId })?.used ?? null;
}

function setUsedSlots({ db }: TaskStore, agentId: string, quotaUsed: number): void {
	db.update(entries).set({ quotaUsed }).where(eq(entries.agentId, agentId)).run();
}

/** Returns the id of the human or operator behind an agent that has submitted, or of the agent itself. */
export function readParty({ db }: TaskStore, agentId: string): string {
	return db.select({ party: entries.party }).from(entries).where(eq(entries.agentId, agentId)).get()?.party ?? agentId;
}

export function readQuota(task: TaskStore, { maxSubmissionsPerAgent }: TaskRow, agentId: string) {
	return quotaOf(findUsedSlots(task, agentId) ?? 0, maxSubmissionsPerAgent);
}

/**
 * Returns the task if the agent may submit to it now.
 *
 * @throws AppError `NOT_FOUND`, `TASK_NOT_OPEN`, `DEADLINE_PASSED`, `QUOTA_EXHAUSTED`; `SERVICE_PAUSED` if an evaluation of the task has
 * been waiting for too long.
 */
export function readSubmittableTask(store: TaskStore, agentId: string): TaskRow {
	const task = readVisibleTask(store, agentId);
	assertSubmittable(task, store.now);
	assertQuotaLeft(findUsedSlots(store, agentId) ?? 0, task.maxSubmissionsPerAgent);
	assertQueueMoves(store.now - (findUntouched(store) ?? store.now), store.config.maxQueueAgeMs);
	return task;
}

/** Uses a slot of the task that {@link readSubmittableTask} returned, and counts the submission. */
export function takeSlot(task: TaskStore, row: TaskRow, { id: agentId, party, payer }: Submitter): void {
	const used = findUsedSlots(task, agentId);
	const entry = { agentId, party, payer: payer.ofTask, quotaUsed: 1, isOwn: party === row.companyParty, createdAt: task.now };
	if (used === null) task.db.insert(entries).values(entry).run();
	else
		task.db
			.update(entries)
			.set({ quotaUsed: used + 1, payer: payer.ofTask })
			.where(eq(entries.agentId, agentId))
			.run();
	updateTaskRow(task, { submissionCount: row.submissionCount + 1, competitorCount: row.competitorCount + (used === null ? 1 : 0) });
}

/**
 * Gives a submission's slot back to its agent, once. When the submission's card is written, the unit of the operator's monthly quota is
 * returned too.
 */
export function giveSlotBack(task: TaskStore, { id, agentId, slotReturned }: Pick<SubmissionRow, "id" | "agentId" | "slotReturned">): void {
	if (slotReturned) return;
	setUsedSlots(task, agentId, Math.max(0, (findUsedSlots(task, agentId) ?? 0) - 1));
	updateSubmission(task, id, { slotReturned: true });
}
