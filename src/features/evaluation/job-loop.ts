// What consumers of both kinds of judging jobs do around the judging: hold the lease, wait, retry, give up.
import { deferJob, type JudgingQueue, pauseJob, pauseLostJobs, releaseJob } from "../../db/judging-jobs.ts";
import { EVALUATION_JOBS, guardLease, type Lease, renewLease } from "../../db/leases.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import type { Failure } from "../../domain/failures.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { hasFailedRun } from "../judging/modes/container.ts";
import * as rules from "../judging/rules.ts";
import type { ModeOutcome } from "../judging/work.ts";

/** In how many milliseconds to visit the job again, and which job if it is not the named one. Null when it is finished. */
export type NextVisit = { readonly delayMs: number; readonly jobId?: string } | null;

/** One consumer's attempt at a job. */
export interface Attempt {
	readonly queue: JudgingQueue;
	readonly lease: Lease;
	readonly job: { readonly id: string; readonly faults: number; readonly attempts: number; readonly createdAt: number };
	/** Ids for the log. */
	readonly subject: Readonly<Record<string, string>>;
	/** In milliseconds since the epoch. */
	readonly startedAt: number;
}

type Outcome = "scored" | "failed" | "retried" | "deferred";

/** Writes how an attempt ended as a data point. */
export function countAttempt(
	deps: Deps,
	{ queue, job, startedAt }: Pick<Attempt, "queue" | "job" | "startedAt">,
	{ outcome, fault }: { outcome: Outcome; fault?: EvaluationFault },
): void {
	writeAttempt(deps, { job, startedAt, outcome, failure: fault?.failure, isTrial: queue !== EVALUATION_JOBS });
}

interface EndedAttempt extends Pick<Attempt, "startedAt"> {
	readonly job: Pick<Attempt["job"], "attempts" | "createdAt">;
	readonly outcome: Outcome;
	readonly failure: Failure | undefined;
	readonly isTrial: boolean;
}

/** The same for any job. */
export function writeAttempt({ metrics, clock }: Deps, { job, startedAt, outcome, failure, isTrial }: EndedAttempt): void {
	const now = clock.now();
	metrics.write("evaluation", {
		outcome,
		failure: failure ?? "",
		subject: isTrial ? "trial" : "submission",
		ms: now - startedAt,
		job_ms: now - job.createdAt,
		attempts: job.attempts,
	});
}

/** When to visit a job again that was not claimed. */
export function nextVisitOf(
	job: { readonly finishedAt: number | null; readonly dueAt: number; readonly leaseExpiresAt: number | null } | null,
	now: number,
): NextVisit {
	if (job === null || job.finishedAt !== null) return null;
	return { delayMs: Math.max(SECOND_MS, Math.max(job.dueAt, job.leaseExpiresAt ?? 0) - now) };
}

const PAUSED_VISIT_MS = 15 * SECOND_MS;

/** Makes a job wait while judging is switched off. Undefined if the job continues, because judging is on or its work has begun. */
export async function waitWhilePaused(deps: Deps, queue: JudgingQueue, jobId: string): Promise<NextVisit | undefined> {
	const reason = await findPause(deps);
	if (reason === null) return undefined;
	const isPaused = await pauseJob(deps.db, queue, { id: jobId, now: deps.clock.now(), reason });
	return isPaused ? { delayMs: PAUSED_VISIT_MS } : undefined;
}

/** Returns whether judging is switched off. If so, jobs that have lost their message wait, so none exceeds its time limit. */
export async function pauseSweep(deps: Deps, queue: JudgingQueue): Promise<boolean> {
	const reason = await findPause(deps);
	if (reason === null) return false;
	await pauseLostJobs(deps.db, queue, { now: deps.clock.now(), reason });
	return true;
}

/** Why nothing is judged, for agents and owners; null while judging is on. */
export async function findPause(deps: Deps): Promise<string | null> {
	const { judging } = await deps.switchboard.read(deps);
	if (judging.on) return null;
	return judging.message === "" ? "Judging is paused." : `Judging is paused: ${judging.message}`;
}

/** Renews the lease while the work runs. A consumer that lost it finds out when it commits. */
export async function whileHoldingLease<T>(
	deps: Deps,
	{ queue, lease }: Pick<Attempt, "queue" | "lease">,
	work: () => Promise<T>,
): Promise<T> {
	const stop = deps.clock.every(rules.LEASE_RENEWAL_MS, () => {
		deps.background(renewLease(deps.db, queue, { ...lease, now: deps.clock.now() }));
	});
	try {
		return await work();
	} finally {
		stop();
	}
}

/** Releases the lease while a grader or the poster's service works. */
export async function park(
	deps: Deps,
	attempt: Pick<Attempt, "queue" | "lease">,
	{ visitAgainAt, progress, fault }: Extract<ModeOutcome, { kind: "waiting" }>,
): Promise<NextVisit> {
	await releaseJob(deps.db, attempt, { dueAt: visitAgainAt, progress, ...(fault === undefined ? {} : { lastError: fault }) });
	return { delayMs: Math.max(SECOND_MS, visitAgainAt - deps.clock.now()) };
}

/**
 * Makes the job wait after a fault, or ends it when the fault is final.
 *
 * @param end Writes the failure, under a guard that holds while this consumer has the lease, and returns whether it did.
 */
export async function handleFault(
	deps: Deps,
	attempt: Attempt,
	{ fault, end }: { fault: EvaluationFault; end: (failure: { guard: Statement; fault: EvaluationFault }) => Promise<boolean> },
): Promise<NextVisit> {
	const { queue, job, lease } = attempt;
	if (!fault.costsAttempt) return defer(deps, attempt, fault);
	const faults = job.faults + 1;
	logFault(deps, attempt, fault);
	if (!fault.isRetryable || faults >= rules.MAX_ATTEMPTS) {
		const isWritten = await end({ guard: guardLease(deps.db, queue, lease), fault });
		if (isWritten) countAttempt(deps, attempt, { outcome: "failed", fault });
		return null;
	}
	const delayMs = rules.retryDelayMs(faults, fault.retryAfterSeconds);
	const progress = fault.progress === undefined ? {} : { progress: fault.progress };
	await releaseJob(deps.db, attempt, { dueAt: deps.clock.now() + delayMs, lastError: fault.message, isFault: true, ...progress });
	countAttempt(deps, attempt, { outcome: "retried", fault });
	return { delayMs };
}

/** Neither the wait nor the attempt before it counts towards the time limit or the attempts. */
async function defer(deps: Deps, attempt: Attempt, fault: EvaluationFault): Promise<NextVisit> {
	const { job, subject, startedAt } = attempt;
	const delayMs = rules.waitDelayMs(job.attempts, fault.retryAfterSeconds);
	const dueAt = deps.clock.now() + delayMs;
	deps.log.info("evaluation_deferred", { job_id: job.id, ...subject, delay_ms: delayMs, reason: fault.message });
	const { message: lastError, waitingFor } = fault;
	const extendMs = dueAt - startedAt;
	await deferJob(deps.db, attempt, { dueAt, lastError, waitingFor, extendMs, maxWaitingMs: rules.MAX_WAITING_MS });
	countAttempt(deps, attempt, { outcome: "deferred", fault });
	return { delayMs };
}

const MAX_LOGGED_CAUSE_LENGTH = 500;

interface LoggedAttempt extends Pick<Attempt, "subject"> {
	readonly job: Pick<Attempt["job"], "id">;
}

/** For operators. Agents read the fault's message, which contains neither URLs nor texts of other services. */
export function logFault(deps: Deps, { job, subject }: LoggedAttempt, fault: EvaluationFault): void {
	deps.log.error("evaluation_fault", {
		job_id: job.id,
		...subject,
		blame: fault.blame,
		is_retryable: fault.isRetryable,
		fault: fault.message,
		cause: fault.cause instanceof Error ? fault.cause.message.slice(0, MAX_LOGGED_CAUSE_LENGTH) : undefined,
	});
}

/** The fault that a thrown error means for the evaluation. Any other error is a fault of the platform. */
export function toFault(deps: Deps, error: unknown): EvaluationFault {
	if (error instanceof EvaluationFault) return error;
	deps.log.error("evaluation_crashed", describeError(error));
	return new EvaluationFault("The evaluation broke off on the platform's side.", { blame: "platform", isRetryable: true, cause: error });
}

/**
 * The fault of a job whose time is over. If a run of the image has failed by then, the submission may have caused it: otherwise it
 * could fail late enough that the second run does not end in time.
 */
export function outOfTime({ lastError, progress }: { readonly lastError: string | null; readonly progress: unknown }): EvaluationFault {
	const reason = lastError === null ? "" : ` Last fault: ${lastError}`;
	const blame = hasFailedRun(progress) ? "submission" : "platform";
	return new EvaluationFault(`The evaluation did not end within its time limit.${reason}`, { blame, isRetryable: false });
}
