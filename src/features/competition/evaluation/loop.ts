// All judging is one loop inside a Task object: a consumer claims a job, renews its claim while it works, and finishes.
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { type JobRow, jobs } from "../../../db/task/schema/judging.ts";
import { EvaluationFault, type FaultRecord, recordOf } from "../../../domain/evaluation-fault.ts";
import { sumUsage } from "../../../domain/spend.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Lane } from "../../../ports/queues.ts";
import { type TaskDuty, type TaskStore, taskVerb } from "../../../ports/task.ts";
import { retryDelayMs } from "../../judging/rules.ts";
import type { ModelUsage } from "../../judging/usage-meter.ts";
import { deleteJob, enqueueJob, type JobKind, selectDue, updateJob, wakeTime } from "../judgements/jobs.ts";
import type { Findings, Judgement } from "../judgements/judgement.ts";
import { addTaskUsage, partsOf } from "../judgements/usage.ts";
import { settleTask } from "../lifecycle/settle.ts";
import { hasWaitedTooLong } from "../spend/rules.ts";
import { outOfTime } from "./attempts.ts";
import { JOBS, type JobMaterial } from "./job-kinds.ts";
import { arrive, countClaimed, flightOf, forgetLost, laneOf, nextAlarm } from "./messages.ts";
import { pauseJobs, resumeJobs } from "./pause.ts";
import { CLAIM_MS, MAX_WAITING_MS, waitDelayMs } from "./rules.ts";

/** A claim lets one consumer work on a job, until another one takes the job. */
export interface Claim extends Pick<JobRow, "kind" | "subjectId"> {
	readonly token: string;
}

/**
 * Claims the next job, and returns it with its material, or null if there is none, or if enough jobs are under way. The consumer makes
 * the token, so that a repeated call gets the same job.
 */
export const claimJob = taskVerb(
	"claimJob",
	(
		task,
		{ token, pause, lane = null }: { readonly token: string; readonly pause: string | null; readonly lane?: Lane | null },
	): JobMaterial | null => {
		arrive(task, lane);
		const known = task.db
			.select()
			.from(jobs)
			.where(and(eq(jobs.state, "claimed"), eq(jobs.claimToken, token)))
			.get();
		if (known !== undefined) return JOBS[known.kind].open(task, known);
		wakeJobs(task);
		task.markJobs();
		if (pause === null) resumeJobs(task);
		else pauseJobs(task, pause);
		if (countClaimed(task) >= task.config.parallelJobsPerTask) return null;
		for (;;) {
			const job = findNext(task, lane, pause === null ? undefined : IS_BEGUN);
			if (job === null) return null;
			const material = JOBS[job.kind].open(task, { ...job, ...hold(task, job, token) });
			if (material !== null) return material;
			endJob(task, job);
		}
	},
);

/** A job that fulfils this condition continues while judging is switched off. */
const IS_BEGUN = sql`(${jobs.progress} is not null or ${jobs.kind} = 'stop_runs')`;

function findNext({ db }: TaskStore, lane: Lane | null, condition: SQL | undefined): JobRow | null {
	for (const kind of Object.keys(JOBS) as JobKind[]) {
		if (lane !== null && laneOf(kind) !== lane) continue;
		const isReady = and(eq(jobs.state, "ready"), eq(jobs.kind, kind), condition);
		const found = db.select().from(jobs).where(isReady).orderBy(asc(jobs.turn), asc(jobs.id)).limit(1).get();
		if (found !== undefined) return found;
	}
	return null;
}

function hold(task: TaskStore, job: JobRow, token: string) {
	// A reason to wait stops all judging, so the wait does not count towards the time limit.
	const waitedMs = job.waitingFor === null ? 0 : task.now - job.dueAt;
	const held = {
		state: "claimed",
		claimToken: token,
		attempts: job.attempts + 1,
		turn: 0,
		waitingFor: null,
		ceilings: null,
		giveUpAt: job.giveUpAt + waitedMs,
		ceilingWaitMs: job.ceilingWaitMs + waitedMs,
	} as const;
	const wakeAt = wakeTime({ ...held, until: task.now + CLAIM_MS });
	updateJob(task, job, { ...held, wakeAt });
	return held;
}

/** Returns the job if this consumer has its claim. */
export function findClaimedJob({ db }: TaskStore, { kind, subjectId, token }: Claim): JobRow | null {
	const isHeld = and(eq(jobs.subjectId, subjectId), eq(jobs.kind, kind), eq(jobs.claimToken, token));
	return db.select().from(jobs).where(isHeld).get() ?? null;
}

/** Makes a claim last for its full time again. A consumer that has lost it learns so when it finishes. */
export const renewJob = taskVerb("renewJob", (task, held: Claim): void => {
	const job = findClaimedJob(task, held);
	if (job === null) return;
	updateJob(task, job, { wakeAt: wakeTime({ ...job, until: task.now + CLAIM_MS }) });
});

/** An attempt at a job ends like this. */
export type JobResult =
	| { readonly kind: "scored"; readonly judgement: Judgement }
	| { readonly kind: "fault"; readonly fault: FaultRecord }
	/** A grader or the poster's service is at work. Waiting costs no attempt. */
	| { readonly kind: "waiting"; readonly visitAgainAt: number; readonly progress: unknown; readonly fault?: string }
	/** There is nothing more to do. */
	| { readonly kind: "done" };

/** `late`: the job has ended, or another consumer has it, so nothing has changed. */
export type FinishOutcome = "scored" | "failed" | "retried" | "deferred" | "waiting" | "done" | "late";

/** Records the end of an attempt. A result that arrives twice changes nothing; of a late one only the usage counts. */
export const finishJob = taskVerb(
	"finishJob",
	(
		task,
		{
			held,
			startedAt,
			used,
			found,
			result,
		}: {
			readonly held: Claim;
			readonly startedAt: number;
			readonly used: readonly ModelUsage[];
			readonly found: Findings;
			readonly result: JobResult;
		},
	): FinishOutcome => {
		// The calls to models cost money even if another consumer has the job now.
		const job = findClaimedJob(task, held);
		const sum = sumUsage(used);
		if (used.length > 0) addTaskUsage(task, sum, job === null ? {} : partsOf(job, sum));
		if (job === null) return "late";
		const rules = JOBS[job.kind];
		rules.record(task, job, { used, found, isScored: result.kind === "scored" });
		switch (result.kind) {
			case "scored":
				rules.score(task, job, { judgement: result.judgement, used });
				endJob(task, job);
				return "scored";
			case "waiting":
				return postponeJob(task, job, {
					dueAt: result.visitAgainAt,
					progress: result.progress,
					...(result.fault === undefined ? {} : { lastError: result.fault }),
				});
			case "fault":
				return endFault(task, job, { fault: result.fault, startedAt });
			case "done":
				endJob(task, job);
				return "done";
		}
	},
);

/** Makes a job wait after a fault, or ends it when the fault is final. */
function endFault(task: TaskStore, job: JobRow, { fault, startedAt }: { fault: FaultRecord; startedAt: number }): FinishOutcome {
	if (!fault.costsAttempt) return defer(task, job, { fault, startedAt });
	const faults = job.faults + 1;
	if (!fault.isRetryable || faults >= JOBS[job.kind].tries) {
		failJob(task, job, fault);
		return "failed";
	}
	const dueAt = task.now + retryDelayMs(faults, fault.retryAfterSeconds);
	const progress = fault.progress === undefined ? job.progress : fault.progress;
	postponeJob(task, job, { dueAt, faults, progress, lastError: fault.message, ceilingSince: null });
	return "retried";
}

/** A wait for a ceiling ends after a day, because no one may ever raise it. */
function ceilingFault({ message }: FaultRecord): FaultRecord {
	const reason = `The evaluation has waited 24 hours for a spending ceiling of judging. ${message}`;
	return recordOf(new EvaluationFault(reason, { blame: "platform", isRetryable: false }));
}

/** Makes a job wait. Neither the wait nor the attempt before it counts towards the time limit, except waits for a provider after a day. */
function defer(task: TaskStore, job: JobRow, { fault, startedAt }: { fault: FaultRecord; startedAt: number }): FinishOutcome {
	const dueAt = task.now + waitDelayMs(job.attempts, fault.retryAfterSeconds);
	const extended = job.giveUpAt + dueAt - startedAt;
	const latest = Math.max(job.giveUpAt, job.createdAt + job.ceilingWaitMs + MAX_WAITING_MS);
	const { ceilings, message: lastError } = fault;
	if (ceilings.length === 0) {
		postponeJob(task, job, { dueAt, lastError, ceilingSince: null, giveUpAt: Math.min(extended, latest) });
		return "deferred";
	}
	const ceilingSince = job.ceilingSince ?? task.now;
	if (hasWaitedTooLong(ceilingSince, task.now)) {
		failJob(task, job, ceilingFault(fault));
		return "failed";
	}
	const ceilingWaitMs = job.ceilingWaitMs + dueAt - startedAt;
	postponeJob(task, job, { dueAt, lastError, waitingFor: lastError, ceilings, ceilingSince, ceilingWaitMs, giveUpAt: extended });
	return "deferred";
}

/** Gives the claim back until the job is due. */
function postponeJob(task: TaskStore, job: JobRow, change: Partial<JobRow> & { readonly dueAt: number }): "waiting" {
	const state = change.dueAt <= task.now ? "ready" : "waiting";
	const next = { ...job, ...change, state, claimToken: null, reserved: null } as const;
	updateJob(task, job, { ...next, wakeAt: wakeTime({ ...next, until: change.dueAt }) });
	return "waiting";
}

function failJob(task: TaskStore, job: JobRow, fault: FaultRecord): void {
	JOBS[job.kind].fail(task, job, fault);
	endJob(task, job);
}

const STOP_LIMIT_MS = 24 * 60 * 60 * SECOND_MS;

/** Ends a job after its result is written, also when its score came from outside. Queues the stop of image runs that may still be at work. */
export function endJob(task: TaskStore, job: JobRow): void {
	deleteJob(task, job);
	const { id, kind, party, runs } = job;
	if (runs > 0 && kind !== "stop_runs") {
		enqueueJob(task, { kind: "stop_runs", subjectId: id, party, runs, giveUpAt: task.now + STOP_LIMIT_MS });
	}
	settleTask(task);
}

/** Looks at the jobs whose time has come: claims that have expired, jobs that are due, and jobs that are out of time. */
function wakeJobs(task: TaskStore): void {
	for (const job of selectDue(task)) {
		if (job.waitingFor === null && job.giveUpAt <= task.now) {
			const fault = recordOf(outOfTime(job));
			flightOf(task).overdue.push({ job, failure: fault.failure });
			failJob(task, job, fault);
			continue;
		}
		const next = { ...job, state: "ready", claimToken: null, reserved: null } as const;
		updateJob(task, job, { ...next, wakeAt: wakeTime({ ...next, until: task.now }) });
	}
}

/** Replaces lost messages and dead consumers, and ends what is out of time. No sweep looks for jobs. */
export const superviseJobs: TaskDuty = {
	name: "superviseJobs",
	dueAt: nextAlarm,
	run(task) {
		forgetLost(task);
		wakeJobs(task);
		task.markJobs();
	},
};
