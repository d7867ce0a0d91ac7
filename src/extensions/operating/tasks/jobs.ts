// Lets operators see a task's jobs that have not succeeded, and retry them.
import { and, desc, eq, gt, inArray, lt, ne, sql } from "drizzle-orm";
import { countClaimed, LOST_MESSAGE_MS } from "../../../core/competition/evaluation/messages.ts";
import { reEvaluateWork } from "../../../core/competition/evaluation/request-re-evaluation.ts";
import { shareWait } from "../../../core/competition/evaluation/shown-waits.ts";
import { findJobOf, findUntouched, updateJob, wakeTime } from "../../../core/competition/judgements/jobs.ts";
import { countWait } from "../../../core/competition/judgements/waits.ts";
import { getSubmissionRow } from "../../../core/competition/submissions/store.ts";
import { type OperatorAct, recordAct } from "../../../core/competition/tasks/store.ts";
import { runIdOf } from "../../../core/judging/grader/client.ts";
import { type JobRow, jobs } from "../../../db/task/schema/judging.ts";
import { isNotCompleted, submissions } from "../../../db/task/schema/submissions.ts";
import { outbox } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import type { WaitReason } from "../../../domain/waits.ts";
import { MINUTE_MS, toIso } from "../../../platform/clock.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";

type JobState = "waiting" | "running" | "stuck" | "failed";

export interface JobStatus {
	/** For an evaluation, the submission's id, because a submission has one evaluation at a time. Otherwise, the id of the container run. */
	readonly id: string;
	readonly kind: "evaluation" | "grader_run";
	readonly state: JobState;
	/** Null for container runs whose evaluation has ended. */
	readonly submissionId: string | null;
	readonly attempts: number;
	/** When the job was created, or when it ended, in milliseconds since the epoch. */
	readonly since: number;
	readonly lastError: string | null;
	/** The supplier's own words about the last fault. */
	readonly supplierWords: string | null;
}

interface JobQuery {
	/** Only jobs in this state are listed. Null for all. */
	readonly state: JobState | null;
	/** Only jobs about this submission are listed. Null for all. */
	readonly submissionId: string | null;
	/** Only jobs with smaller ids are listed. Null for the first page. */
	readonly before: string | null;
	readonly limit: number;
}

/** Lists the jobs that have not succeeded, the largest id first. */
export const listJobsOfTask = taskVerb("listJobsOfTask", (task, { state, submissionId, before, limit }: JobQuery): JobStatus[] => {
	const unfinished = state === "failed" ? [] : selectUnfinished(task);
	const failed = state === null || state === "failed" ? selectFailed(task, { submissionId, before, limit }) : [];
	return [...unfinished, ...failed]
		.filter((job) => state === null || job.state === state)
		.filter((job) => submissionId === null || job.submissionId === submissionId)
		.filter((job) => before === null || job.id < before)
		.toSorted((a, b) => (a.id < b.id ? 1 : -1))
		.slice(0, limit);
});

function selectUnfinished(task: TaskStore): JobStatus[] {
	const isListed = inArray(jobs.kind, ["evaluation", "stop_runs"]);
	const isFull = countClaimed(task) >= task.config.parallelJobsPerTask;
	const rows = task.db.select().from(jobs).where(isListed).all();
	return rows.flatMap((job): JobStatus[] => {
		const state = stateOf(job, { now: task.now, isFull });
		const facts = { state, since: job.createdAt, lastError: job.wait?.message ?? job.lastError, supplierWords: job.supplierWords };
		const { id: jobId, kind, subjectId, runs } = job;
		if (kind === "stop_runs") return [{ ...runOf({ jobId: subjectId, runs }), ...facts, submissionId: null }];
		const evaluation = { ...facts, id: subjectId, kind: "evaluation" as const, submissionId: subjectId, attempts: job.attempts };
		return runs === 0 ? [evaluation] : [evaluation, { ...runOf({ jobId, runs }), ...facts, submissionId: subjectId }];
	});
}

/** Describes the last container run of a job. */
function runOf({ jobId, runs }: { jobId: string; runs: number }) {
	return { id: runIdOf({ jobId, run: runs }), kind: "grader_run" as const, attempts: runs };
}

/** A job is stuck if its consumer has not reported back, or if no consumer has claimed it although the task had room for one. */
function stateOf({ state, wakeAt, wait, dueAt, progress }: JobRow, { now, isFull }: { now: number; isFull: boolean }): JobState {
	if (state === "claimed") return wakeAt !== null && wakeAt <= now ? "stuck" : "running";
	if (wait !== null) return "waiting";
	if (dueAt <= now - LOST_MESSAGE_MS && !isFull) return "stuck";
	// A job with progress is in the hands of an external judge or a grader.
	return progress === null ? "waiting" : "running";
}

function selectFailed({ db }: TaskStore, { submissionId, before, limit }: Omit<JobQuery, "state">): JobStatus[] {
	const isOne = submissionId === null ? undefined : eq(submissions.id, submissionId);
	const isOlder = before === null ? undefined : lt(submissions.id, before);
	return db
		.select()
		.from(submissions)
		.where(and(eq(submissions.status, "evaluation_failed"), isNotCompleted, isOne, isOlder))
		.orderBy(desc(submissions.id))
		.limit(limit)
		.all()
		.map(({ id, iteration, updatedAt, ownerErrorMessage, errorMessage, supplierWords }) => ({
			...({ id, kind: "evaluation", state: "failed", submissionId: id } as const),
			attempts: iteration,
			since: updatedAt,
			lastError: ownerErrorMessage ?? errorMessage,
			supplierWords,
		}));
}

/** Counts the object's evaluation jobs by state, and the events in its outbox. */
export const countJobs = taskVerb("countJobs", (task, _: null) => {
	const { db, now } = task;
	const rows = db.select().from(jobs).where(eq(jobs.kind, "evaluation")).all();
	const isFull = countClaimed(task) >= task.config.parallelJobsPerTask;
	const states = rows.map((job) => stateOf(job, { now, isFull }));
	const running = states.filter((state) => state === "running").length;
	const events = db.select({ sum: sql<number>`coalesce(sum(json_array_length(events)), 0)` }).from(outbox).get();
	return {
		running,
		waiting: rows.length - running,
		stuck: states.filter((state) => state === "stuck").length,
		// If the task already judges as many submissions at once as it may, its waiting jobs do not mean that the platform is late.
		untouchedSince: isFull ? null : findUntouched(task),
		outbox: events?.sum ?? 0,
		isAtCeiling: rows.some(({ state, wait }) => state === "waiting" && wait?.ceilings?.includes("deployment_day")),
		wait: findOutage(rows),
	};
});

/** Finds the longest wait for a supplier, its rate limit, or a grader. */
function findOutage(rows: readonly JobRow[]): { since: number; message: string } | null {
	const [longest] = rows
		.flatMap(({ state, wait }) => (state === "waiting" && wait !== null && OUTAGES.has(wait.reason) ? [wait] : []))
		.toSorted((a, b) => a.since - b.since);
	return longest === undefined ? null : { since: longest.since, message: longest.message };
}

const OUTAGES: ReadonlySet<string> = new Set<WaitReason>(["supplier", "rate_limit", "grader"]);

/** Makes jobs that wait for a ceiling check it again, because an operator has changed it. */
export const lookAtCeilings = taskVerb("lookAtCeilings", (task, { dueAt }: { dueAt: number }): void => {
	const isLater = and(eq(jobs.state, "waiting"), sql`${jobs.wait}->>'reason' = 'ceiling'`, gt(jobs.dueAt, dueAt));
	for (const job of task.db.select().from(jobs).where(isLater).all()) {
		updateJob(task, job, { dueAt, wakeAt: wakeTime(job, dueAt) });
	}
});

interface JobRetry {
	readonly act: OperatorAct;
	/** The id of the submission or container run that the job is about. */
	readonly id: string;
}

/** Finds the artifact that is needed to retry a submission's evaluation. `artifactKey` is null unless the evaluation has failed. */
export const admitRetry = taskVerb("admitRetry", (task, { id }: { id: string }) => {
	const { status, artifactKey } = getSubmissionRow(task, id);
	return { artifactKey: status === "evaluation_failed" ? artifactKey : null };
});

/** The minimum time that a restarted job gets. */
export const MORE_TIME_MS = 30 * MINUTE_MS;

/**
 * Makes the evaluation of a submission due, or queues a new one if the last one failed.
 * For a container run, makes the job that checks the run due. Returns null if the task has no such run.
 *
 * @throws AppError `CONFLICT` for a job that a consumer works on, or for a submission without a failed evaluation.
 */
export const retryJobOfTask = taskVerb("retryJobOfTask", (task, { act, id }: JobRetry): { id: string } | null => {
	const job = findJobOf(task, { kind: "evaluation", subjectId: id }) ?? findJobOfRun(task, id);
	if (job !== null) {
		hasten(task, job, { act, id });
		return { id };
	}
	const submission = task.db.select().from(submissions).where(eq(submissions.id, id)).get();
	if (submission === undefined) return null;
	if (submission.status !== "evaluation_failed")
		throw new AppError("CONFLICT", { message: "The submission has no failed evaluation, so there is nothing to retry." });
	reEvaluateWork.run(task, { id: act.id, submissionId: id, by: null, payer: null, operatorReason: act.reason });
	record(task, { act, id }, { due_at: toIso(submission.updatedAt), attempts: submission.iteration, has_ended: true });
	return { id };
});

function findJobOfRun({ db }: TaskStore, runId: string): JobRow | null {
	const rows = db.select().from(jobs).where(ne(jobs.runs, 0)).all();
	return rows.find(({ id, kind, subjectId, runs }) => runOf({ jobId: kind === "stop_runs" ? subjectId : id, runs }).id === runId) ?? null;
}

function hasten(task: TaskStore, job: JobRow, retry: JobRetry): void {
	const { now } = task;
	if (stateOf(job, { now, isFull: true }) === "running" && job.state === "claimed")
		throw new AppError("CONFLICT", { message: "The job is being worked on at the moment." });
	const { waitedMs, giveUpAt } = countWait(job, now);
	const ends = Math.max(giveUpAt, now + MORE_TIME_MS);
	const next = { ...job, state: "ready", claimToken: null, reserved: null, wait: null, waitedMs, dueAt: now, giveUpAt: ends } as const;
	updateJob(task, job, { ...next, wakeAt: wakeTime(next, now) });
	shareWait(task, job, next);
	record(task, retry, { due_at: toIso(job.dueAt), attempts: job.attempts, has_ended: false });
}

function record(task: TaskStore, { act, id }: JobRetry, before: Readonly<Record<string, unknown>>): void {
	const kind = "evaluation";
	recordAct(task, act, { action: "job.retry", target: id, before: { kind, ...before }, after: { kind, due_at: toIso(task.now) } });
}

/** Judges a submission again, regardless of the cooldown and the state of the task. The new job has the id of the operator's action. */
export const judgeWorkAgain = taskVerb("judgeWorkAgain", (task, { act, submissionId }: { act: OperatorAct; submissionId: string }) => {
	const { status, iteration: last } = getSubmissionRow(task, submissionId);
	const { iteration } = reEvaluateWork.run(task, { id: act.id, submissionId, by: null, payer: null, operatorReason: act.reason });
	recordAct(task, act, {
		action: "submission.re_evaluate",
		target: submissionId,
		before: { status, iteration: last },
		after: { status: "running", iteration, enqueued_at: toIso(task.now) },
	});
	return { iteration };
});
