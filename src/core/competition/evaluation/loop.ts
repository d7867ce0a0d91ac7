// All judging is one loop inside a Task object: a consumer claims a job, renews its claim while it works, and finishes the job.

import { and, asc, eq, inArray, isNull, min, type SQL, sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { type JobRow, type JobWait, jobs } from "../../../db/task/schema/judging.ts";
import { type FaultRecord, recordOf } from "../../../domain/evaluation-fault.ts";
import { ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { MODES } from "../../../domain/modes.ts";
import { sumUsage } from "../../../domain/spend.ts";
import { toRealTime, toTaskTime } from "../../../domain/task-time.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Findings } from "../../../ports/judgement.ts";
import type { Lane } from "../../../ports/queues.ts";
import { type TaskDatabase, type TaskDuty, type TaskJoints, type TaskStore, taskVerb } from "../../../ports/task.ts";
import { withChecks } from "../../judging/checks/criterion-checks.ts";
import { retryDelayMs } from "../../judging/rules.ts";
import type { ModelUsage } from "../../judging/usage-meter.ts";
import { deleteJob, enqueueJob, findJobOf, isKnown, limitOf, selectDue, updateJob, wakeTime } from "../judgements/jobs.ts";
import { addTaskUsage, partsOf } from "../judgements/usage.ts";
import { countWait, MAX_WAITING_MS, waitEndOf } from "../judgements/waits.ts";
import { settleTask } from "../lifecycle/settle.ts";
import { readCriteria, readTask } from "../tasks/store.ts";
import { outOfTime, waitedTooLong } from "./attempts.ts";
import { type JobMaterial, type JobResult, kindsIn, rulesOf, type Waiting } from "./job-kind.ts";
import { arrive, countClaimed, flightOf, forgetLost, nextAlarm } from "./messages.ts";
import { IS_BEGUN, moveJobs, pauseJobs, resumeJobs } from "./pause.ts";
import { CLAIM_MS, waitDelayMs } from "./rules.ts";
import { shareWait } from "./shown-waits.ts";

/** The right of one consumer to work on a job, until the job ends or another consumer takes it over. */
export interface Claim extends Pick<JobRow, "kind" | "subjectId"> {
	readonly token: string;
}

/**
 * Claims the next job and returns it with its material. Returns null if there is none, or if the maximum number of jobs is already running.
 * The consumer chooses the token, so a repeated call gets the same job.
 */
export const claimJob = taskVerb(
	"claimJob",
	(
		task,
		{ token, pause, lane = null }: { readonly token: string; readonly pause: string | null; readonly lane?: Lane | null },
	): JobMaterial | null => {
		arrive(task, lane);
		const claimed = claimedQuery(task.db).get({ token });
		if (claimed !== undefined) return openJob(task, claimed);
		wakeJobs(task);
		task.markJobs();
		if (pause === null) resumeJobs(task);
		else pauseJobs(task, pause);
		if (countClaimed(task) >= task.config.parallelJobsPerTask) return null;
		for (;;) {
			const job = findNext(task, lane, pause === null ? nextQuery : nextBegunQuery);
			if (job === null) return null;
			const material = openJob(task, { ...job, ...hold(task, job, token) });
			if (material !== null) return material;
			endJob(task, job);
		}
	},
);

const claimedQuery = prepareOnce((db) =>
	db
		.select()
		.from(jobs)
		.where(and(eq(jobs.state, "claimed"), eq(jobs.claimToken, sql.placeholder("token"))))
		.prepare(),
);

function openJob(task: TaskStore, job: JobRow): JobMaterial | null {
	const { open, judgesHeld } = rulesOf(task.parts.jobs, job);
	const opened = open(task, job);
	if (opened === null) return null;
	// An evaluation that replaces others also judges criteria of the final round, because the evaluations that it replaces may have judged
	// them.
	const isHeldJudged = judgesHeld || ROUNDS[job.round].replaces;
	const criteria = withChecks(readCriteria(task).filter(({ held }) => !held || isHeldJudged));
	return { job: inRealTime(task, job), task: readTask(task), criteria, opened };
}

/** Consumers work in real time, not by the task's clock. */
function inRealTime(task: TaskStore, job: JobRow): JobRow {
	const { createdAt, dueAt, giveUpAt } = job;
	return {
		...job,
		createdAt: toRealTime(task, createdAt),
		dueAt: toRealTime(task, dueAt),
		giveUpAt: toRealTime(task, giveUpAt),
	};
}

const nextQuery = prepareOnce((db, parts: TaskJoints) => selectNext(db, parts));
/** While judging is switched off, only jobs that have begun are claimed. */
const nextBegunQuery = prepareOnce((db, parts: TaskJoints) => selectNext(db, parts, IS_BEGUN));

function selectNext(db: TaskDatabase, parts: TaskJoints, condition?: SQL) {
	const isReady = and(eq(jobs.state, "ready"), eq(jobs.kind, sql.placeholder("kind")), isKnown(parts), condition);
	return db.select().from(jobs).where(isReady).orderBy(asc(jobs.turn), asc(jobs.id)).limit(1).prepare();
}

function findNext({ db, parts }: TaskStore, lane: Lane | null, query: typeof nextQuery): JobRow | null {
	for (const kind of kindsIn(parts, lane)) {
		const job = query(db, parts).get({ kind });
		if (job !== undefined) return job;
	}
	return null;
}

function hold(task: TaskStore, job: JobRow, token: string) {
	const change = {
		state: "claimed",
		claimToken: token,
		attempts: job.attempts + 1,
		turn: 0,
		...countWait(queuedJob(task, job), task.now),
	} as const;
	updateJob(task, job, { ...change, wakeAt: wakeTime({ ...job, ...change }, task.now + CLAIM_MS) });
	return change;
}

/**
 * Extends the time limit by how long the job queued for its turn, because only work counts towards the limit. Does not change a job that
 * waits, because {@link countWait} extends its limit.
 */
function queuedJob({ now }: TaskStore, job: JobRow): JobRow {
	if (job.wait !== null) return job;
	return { ...job, giveUpAt: job.giveUpAt + Math.max(0, now - job.dueAt) };
}

/** Returns the job if the claim is still valid, and null otherwise. */
export function findClaimedJob(task: TaskStore, { token, ...claimed }: Claim): JobRow | null {
	const job = findJobOf(task, claimed);
	return job?.claimToken === token ? job : null;
}

/**
 * Extends a claim to its full duration. If the consumer has lost its claim, does nothing: the consumer learns that from its next write to
 * the job.
 */
export const renewJob = taskVerb("renewJob", (task, claim: Claim): void => {
	const job = findClaimedJob(task, claim);
	if (job === null) return;
	updateJob(task, job, { wakeAt: wakeTime(job, task.now + CLAIM_MS) });
});

/** `late`: the job has ended, or another consumer has it, so only the usage was counted. */
export type FinishOutcome = "scored" | "failed" | "retried" | "deferred" | "waiting" | "done" | "late";

/** Records the end of an attempt. If the consumer has lost its claim, only counts the usage. */
export const finishJob = taskVerb(
	"finishJob",
	(
		task,
		{
			claim,
			startedAt: startedInReal,
			used,
			findings,
			result,
		}: {
			readonly claim: Claim;
			/** When the attempt began. In real time, like the times in the result, not by the task's clock. */
			readonly startedAt: number;
			readonly used: readonly ModelUsage[];
			readonly findings: Findings;
			readonly result: JobResult;
		},
	): FinishOutcome => {
		// Model calls cost money even if another consumer has taken over the job.
		const claimed = findClaimedJob(task, claim);
		const sum = sumUsage(used);
		if (used.length > 0) addTaskUsage(task, sum, claimed === null ? {} : partsOf(claimed, sum));
		if (claimed === null) return "late";
		const startedAt = toTaskTime(task, startedInReal);
		const job = { ...claimed, isPaid: claimed.isPaid || used.length > 0 };
		const rules = rulesOf(task.parts.jobs, job);
		rules.record(task, job, { used, findings, isScored: result.kind === "scored" });
		switch (result.kind) {
			case "scored":
				rules.score(task, job, { judgement: result.judgement, used });
				endJob(task, job, { isScored: true });
				return "scored";
			case "waiting":
				return lookLater(task, job, { result, startedAt });
			case "fault":
				return endFault(task, job, { fault: result.fault, startedAt });
			case "done":
				endJob(task, job);
				return "done";
		}
	},
);

/** Makes a job due again when a grader or the poster's service may have finished. */
function lookLater(task: TaskStore, job: JobRow, { result, startedAt }: { result: Waiting; startedAt: number }): FinishOutcome {
	const { visitAgainAt, progress, fault, waitsFor, supplierWords = null } = result;
	const dueAt = toTaskTime(task, visitAgainAt);
	const change = { dueAt, progress, supplierWords, ...(fault === undefined ? {} : { lastError: fault }) };
	if (waitsFor === undefined) return postponeJob(task, job, { ...change, wait: null });
	return waitFor(task, job, { reason: waitsFor, message: fault ?? "", startedAt, change });
}

/** After a fault, lets the job wait or try again, or ends it if the fault is final. */
function endFault(task: TaskStore, job: JobRow, { fault, startedAt }: { fault: FaultRecord; startedAt: number }): FinishOutcome {
	const { message, ceilings, waitsFor, supplierWords, retryAfterSeconds } = fault;
	const change = { lastError: message, supplierWords, progress: fault.progress === undefined ? job.progress : fault.progress };
	const faults = job.faults + 1;
	const retry = (): FinishOutcome => {
		postponeJob(task, job, { ...change, faults, dueAt: task.now + retryDelayMs(faults, retryAfterSeconds), wait: null });
		return "retried";
	};
	const { tries } = rulesOf(task.parts.jobs, job);
	if (tries === null) return retry();
	if (waitsFor !== null) {
		const dueAt = task.now + waitDelayMs(job.waitedMs, retryAfterSeconds);
		return waitFor(task, job, { reason: waitsFor, message, ceilings, startedAt, change: { ...change, dueAt } });
	}
	if (!fault.costsAttempt)
		return continueLater(task, job, { ...change, startedAt, dueAt: task.now + (retryAfterSeconds ?? 0) * SECOND_MS });
	if (fault.isRetryable && faults < tries) return retry();
	failJob(task, job, fault);
	return "failed";
}

interface Wait extends Pick<JobWait, "reason" | "message" | "ceilings"> {
	/** When the attempt that found the reason to wait began, in milliseconds since the epoch. */
	readonly startedAt: number;
	readonly change: Partial<JobRow> & { readonly dueAt: number };
}

/** Makes a job wait, or fails it if its waits add up to the limit. The attempt that found the reason counts as part of the wait. */
function waitFor(task: TaskStore, job: JobRow, { startedAt, change, reason, message, ceilings = [] }: Wait): FinishOutcome {
	const since = job.wait?.reason === reason ? job.wait.since : task.now;
	const from = job.wait?.from ?? startedAt;
	const wait = { reason, message, since, from, ...(ceilings.length === 0 ? {} : { ceilings }) };
	const next = { ...job, ...change, wait };
	const endsAt = waitEndOf(next);
	if (endsAt !== null && endsAt <= task.now) {
		failJob(task, job, recordOf(waitedTooLong(next)));
		return "failed";
	}
	postponeJob(task, job, { ...change, wait });
	return "deferred";
}

/**
 * Lets a job continue in a later attempt. This does not count as a wait. Unless the job is bound, the attempts that end in this way may
 * together take at most as long as a job may wait.
 */
function continueLater(
	task: TaskStore,
	job: JobRow,
	{ startedAt, ...change }: Partial<JobRow> & { readonly startedAt: number; readonly dueAt: number },
): FinishOutcome {
	const takenMs = task.now - startedAt;
	const continuedMs = job.continuedMs + takenMs;
	if (continuedMs >= MAX_WAITING_MS && !job.isBound) {
		failJob(task, job, recordOf(outOfTime({ ...job, ...change })));
		return "failed";
	}
	postponeJob(task, job, { ...change, wait: null, continuedMs, giveUpAt: job.giveUpAt + takenMs });
	return "deferred";
}

/** Releases the claim. The job can be claimed again when it is due. */
function postponeJob(task: TaskStore, job: JobRow, change: Partial<JobRow> & { readonly dueAt: number }): "waiting" {
	const state = change.dueAt <= task.now ? "ready" : "waiting";
	const next = { ...job, ...change, state, claimToken: null, reserved: null } as const;
	updateJob(task, job, { ...next, wakeAt: wakeTime(next, change.dueAt) });
	shareWait(task, job, next);
	return "waiting";
}

function failJob(task: TaskStore, job: JobRow, fault: FaultRecord): void {
	rulesOf(task.parts.jobs, job).fail(task, job, fault);
	endJob(task, job);
}

const STOP_LIMIT_MS = 24 * 60 * 60 * SECOND_MS;

/** Ends a job. Its result, if it has one, is already stored. If containers may still be running, queues a job to stop them. */
export function endJob(task: TaskStore, job: JobRow, { isScored }: { readonly isScored: boolean } = { isScored: false }): void {
	deleteJob(task, job);
	shareWait(task, job, null);
	const { id, kind, subjectId, party, round, runs, isBound } = job;
	if (runs > 0 && kind !== "stop_runs") {
		enqueueJob(task, { kind: "stop_runs", subjectId: id, party, runs, giveUpAt: task.now + STOP_LIMIT_MS });
	}
	// The extension that queued a bound job stores its score, so the submission's own score does not change.
	const hasNewScore = isScored && kind === "evaluation" && !isBound;
	settleTask(task, { scored: hasNewScore ? { submissionId: subjectId, round } : null });
}

/** Makes jobs ready that are due or whose claim has expired, and ends jobs that are out of time. */
function wakeJobs(task: TaskStore): void {
	for (const due of selectDue(task)) {
		// Ending one job can end others, so this job may already be gone.
		const job = findJobOf(task, due);
		if (job?.id !== due.id) continue;
		const limit = limitOf(job);
		if (limit !== null && limit <= task.now) {
			const hasWorked = job.state === "claimed" || (job.state === "waiting" && job.wait === null);
			const fault = recordOf(hasWorked ? outOfTime(job) : waitedTooLong(job));
			flightOf(task).overdue.push({ job, failure: fault.failure });
			failJob(task, job, fault);
			continue;
		}
		const dueAt = job.state === "claimed" ? task.now : job.dueAt;
		const next = { ...job, state: "ready", claimToken: null, reserved: null, dueAt } as const;
		updateJob(task, job, { ...next, wakeAt: wakeTime(next, dueAt) });
	}
}

/** Recovers from lost messages and dead consumers, and ends jobs that are out of time. There is no sweep for this. */
export const superviseJobs: TaskDuty = {
	name: "superviseJobs",
	// When the task's clock is advanced, the times of jobs are shifted by as much, so they stay the same in real time.
	isInRealTime: true,
	dueAt: (task) => {
		const at = nextAlarm(task);
		return at === null ? null : toRealTime(task, at);
	},
	run(task) {
		forgetLost(task);
		wakeJobs(task);
		task.markJobs();
	},
	noteAdvance: moveJobs,
};

/** Ends evaluations whose external judge has not posted a score in time. Their deadline follows the task's clock. */
export const endOutsideWaits: TaskDuty = {
	name: "outside",
	dueAt(task) {
		if (!MODES[readTask(task).evalMode].isExternal) return null;
		const isWorking = and(eq(jobs.kind, "evaluation"), inArray(jobs.state, ["claimed", "waiting"]), isNull(jobs.wait), isKnown(task.parts));
		const first = task.db
			.select({ at: min(jobs.giveUpAt) })
			.from(jobs)
			.where(isWorking)
			.get();
		return first?.at ?? null;
	},
	run: wakeJobs,
};
