// Operators can switch judging off. Jobs that have not started then pause, until a sweep finds that judging is on again.
import { and, eq, not, type SQL, sql } from "drizzle-orm";
import { type JobRow, jobs } from "../../../db/task/schema/judging.ts";
import { chunksOf } from "../../../domain/chunks.ts";
import { MODES } from "../../../domain/modes.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { forgetWakeTime, isKnown } from "../judgements/jobs.ts";
import { describeWait, MAX_WAITING_MS } from "../judgements/waits.ts";
import { readTask, updateTaskRow } from "../tasks/store.ts";
import { findRules } from "./job-kind.ts";
import { shareWaitOfMany } from "./shown-waits.ts";

/**
 * True for jobs that continue while judging is switched off: an image or an external judge is working on them, or they stop a run. Once the
 * image has graded the submission, only the judge's part is left, so the job pauses.
 */
export const IS_BEGUN = sql`(kind = 'stop_runs' or (progress is not null and progress->>'isGraded' is not 1))`;

/** Pauses all jobs that have not started, without a time limit. Nothing wakes them until judging is on again. */
export function pauseJobs(task: TaskStore, reason: string): void {
	const isUntouched = and(eq(jobs.state, "ready"), isKnown(task.parts), not(IS_BEGUN));
	const wait = { reason: "paused", message: reason, since: task.now, from: task.now } as const;
	const passedMs = sql`${task.now} - coalesce(wait->>'from', due_at)`;
	const isFree = sql`is_bound = 1 and wait->>'reason' is 'ceiling'`;
	const paused = task.db
		.update(jobs)
		.set({
			...{ state: "paused", wait, dueAt: task.now, wakeAt: null },
			giveUpAt: sql`give_up_at + ${passedMs}`,
			waitedMs: sql`waited_ms + iif(wait is null or ${isFree}, 0, ${passedMs})`,
		})
		.where(isUntouched)
		.returning({ kind: jobs.kind, subjectId: jobs.subjectId })
		.all();
	if (paused.length === 0) return;
	shareWaitOfMany(task, submissionsOf(paused), describeWait({ wait, waitedMs: 0, isBound: false }));
	if (!readTask(task).judgingPaused) updateTaskRow(task, { judgingPaused: true });
}

/** Makes paused jobs ready. The pause counts neither towards their time limit nor as a wait. */
export function resumeJobs(task: TaskStore): void {
	if (!readTask(task).judgingPaused) return;
	tellBinders(task);
	const giveUpAt = sql`give_up_at + ${task.now} - (wait->>'from')`;
	const resumed = task.db
		.update(jobs)
		.set({
			state: "ready",
			wait: null,
			dueAt: task.now,
			giveUpAt,
			wakeAt: sql`iif(is_bound = 1, null, max(${giveUpAt}, ${task.now + MAX_WAITING_MS}))`,
		})
		.where(eq(jobs.state, "paused"))
		.returning({ kind: jobs.kind, subjectId: jobs.subjectId })
		.all();
	forgetWakeTime(task);
	shareWaitOfMany(task, submissionsOf(resumed), null);
	updateTaskRow(task, { judgingPaused: false });
}

/**
 * When the task's clock is advanced, shifts the times of all jobs by as much, because work takes real time. The deadline of an external
 * judge is not shifted, because it follows the task's clock.
 */
export function moveJobs(task: TaskStore, ms: number): void {
	const { isExternal } = MODES[readTask(task).evalMode];
	const isOutside = and(eq(jobs.kind, "evaluation"), sql`${Number(isExternal)} = 1`);
	const later = {
		createdAt: sql`created_at + ${ms}`,
		wait: sql`json_set(wait, '$.since', wait->>'since' + ${ms}, '$.from', wait->>'from' + ${ms})`,
	};
	const until = (time: SQL) => sql`min(${time} + ${ms}, max(${time}, give_up_at))`;
	task.db
		.update(jobs)
		.set({ ...later, dueAt: until(sql`due_at`), wakeAt: until(sql`wake_at`) })
		.where(isOutside)
		.run();
	task.db
		.update(jobs)
		.set({ ...later, dueAt: sql`due_at + ${ms}`, wakeAt: sql`wake_at + ${ms}`, giveUpAt: sql`give_up_at + ${ms}` })
		.where(sql`not (${isOutside})`)
		.run();
	forgetWakeTime(task);
	const kinds = task.db.selectDistinct({ kind: jobs.kind, isBound: jobs.isBound }).from(jobs).where(eq(jobs.isBound, true)).all();
	for (const kind of kinds) findRules(task.parts.jobs, kind)?.resume?.(task, ms);
}

/** Tells each kind of bound job how long its jobs were paused, counted from the first job that paused. */
function tellBinders(task: TaskStore): void {
	const bound = task.db
		.select()
		.from(jobs)
		.where(and(eq(jobs.state, "paused"), eq(jobs.isBound, true)))
		.all();
	for (const rules of task.parts.jobs) {
		const times = bound.filter((job) => findRules(task.parts.jobs, job) === rules).map(({ dueAt }) => dueAt);
		if (times.length > 0) rules.resume?.(task, task.now - Math.min(...times));
	}
}

function submissionsOf(changed: readonly Pick<JobRow, "kind" | "subjectId">[]): string[] {
	return changed.filter(({ kind }) => kind === "evaluation").map(({ subjectId }) => subjectId);
}

const TASKS_PER_RUN = 5_000;
/** The maximum number of messages that a queue accepts in one call. */
const MESSAGES_PER_CALL = 100;

/**
 * Sends a message to each paused task once judging is on again, because nothing else wakes these tasks. A task's card stays marked until
 * the task has resumed, so a lost message is sent again a minute later.
 */
export async function resumeJudging(deps: Deps): Promise<void> {
	const { db, queues, switchboard } = deps;
	if (!(await switchboard.read(deps, true)).judging.on) return;
	const paused = await db.query.all<{ taskId: string }>(sql`
		select id as "taskId" from task_cards where judging_paused = 1 limit ${TASKS_PER_RUN}`);
	const messages = paused.map(({ taskId }) => ({ body: { taskId } }));
	for (const chunk of chunksOf(messages, MESSAGES_PER_CALL)) await queues.tasks.sendBatch(chunk);
}
