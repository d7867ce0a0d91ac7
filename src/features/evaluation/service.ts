import { StaleReadError } from "../../db/commit.ts";
import type { Lease } from "../../db/leases.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import type { EvaluationRound } from "../../domain/evaluation-rounds.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import type { Deps, PublicCtx } from "../../ports/deps.ts";
import { hashArtifact } from "../artifacts/hash.ts";
import { ensureSignature } from "../similarity/service.ts";
import { settleTask } from "../tasks/service.ts";
import { evaluateByMode } from "./evaluate-by-mode.ts";
import { stopRuns } from "./image-runs.ts";
import { type Failed, recordFailure, recordScore } from "./outcome.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import type { ModeOutcome } from "./work.ts";

interface NewJob {
	readonly submissionId: string;
	readonly iteration: number;
	readonly round: EvaluationRound;
	readonly task: { readonly id: string; readonly evalMode: EvalMode; readonly evalTimeoutSeconds: number };
}

/** A job for one evaluation, with the statement that belongs into the batch which makes the submission `running`. */
export function newEvaluationJob(ctx: Deps & Pick<PublicCtx, "baseUrl">, { submissionId, iteration, round, task }: NewJob) {
	const now = ctx.clock.now();
	const giveUpAt = now + MODES[task.evalMode].timeLimitMs(task.evalTimeoutSeconds) + rules.GIVE_UP_MARGIN_MS;
	const id = ctx.ids.next();
	const longRubric = MODES[task.evalMode].usesJudge ? { taskId: task.id, ...rules.LONG_RUBRIC } : null;
	const row = { id, submissionId, iteration, round, origin: ctx.baseUrl, dueAt: now, giveUpAt, longRubric, createdAt: now };
	return { id, statement: statements.insertJob(ctx, row) };
}

/** Tells a consumer of a job. When the message is lost, {@link sweepEvaluations} sends another. */
export async function enqueueEvaluation(deps: Deps, jobId: string): Promise<void> {
	await deps.queues.evaluation.send({ jobId });
}

/** When to look at the job again, in milliseconds; null when it is finished. */
export type NextLook = { readonly delayMs: number } | null;

/**
 * Works on a job if it is due and not leased by another consumer. Any number of calls, at once or in a row, evaluate once.
 */
export async function runEvaluation(deps: Deps, jobId: string): Promise<NextLook> {
	const now = deps.clock.now();
	const lease = { id: jobId, token: deps.ids.next() };
	const job = await store.claimJob(deps, lease, now);
	if (job === null) return nextLookAt(await store.findJob(deps, jobId), now);
	const work = await store.findWork(deps, job.submissionId);
	if (work === null) throw new Error(`Job ${jobId} refers to a submission that does not exist.`);
	try {
		if (job.giveUpAt <= now) throw outOfTime(job);
		const { hashed, outcome } = await whileHoldingLease(deps, lease, async () => {
			const hashed = await withArtifactHash(deps, work);
			if (isFirstLook(job)) await ensureSignature(deps, hashed.submission);
			return { hashed, outcome: await evaluateByMode(deps, { ...hashed, job }) };
		});
		if (outcome.kind === "waiting") return await park(deps, lease, outcome);
		await recordScore(deps, {
			work: hashed,
			jobId,
			guard: statements.guardJobLease(deps, lease),
			iteration: job.iteration,
			result: outcome.result,
		});
		stopAllRuns(deps, work, jobId);
	} catch (error) {
		// Another consumer holds the lease now and will finish the job.
		if (error instanceof StaleReadError) return null;
		return handleFault(deps, { job, lease, work, startedAt: now, fault: toFault(deps, error) });
	}
	await settleTask(deps, work.task.id);
	return null;
}

/** When to look again at a job that was not claimed. */
export function nextLookAt(job: Pick<store.JobRow, "finishedAt" | "dueAt" | "leaseExpiresAt"> | null, now: number): NextLook {
	if (job === null || job.finishedAt !== null) return null;
	return { delayMs: Math.max(SECOND_MS, Math.max(job.dueAt, job.leaseExpiresAt ?? 0) - now) };
}

/** Signing comes before judging, so a job that has got further has a signature, and a crash repeats both. */
function isFirstLook({ progress }: store.JobRow): boolean {
	return progress === null;
}

/** An artifact that was uploaded directly to the bucket has no hash yet. */
async function withArtifactHash(deps: Deps, work: store.Work): Promise<store.Work> {
	const { artifactKey, artifactSha256 } = work.submission;
	if (artifactKey === null || artifactSha256 !== null) return work;
	const hash = await hashArtifact(deps.bucket, artifactKey);
	await store.saveArtifactHash(deps, work.submission.id, hash);
	return { ...work, submission: { ...work.submission, artifactSha256: hash } };
}

async function park(
	deps: Deps,
	lease: Lease,
	{ lookAgainAt, progress, fault }: Extract<ModeOutcome, { kind: "waiting" }>,
): Promise<NextLook> {
	await store.parkJob(deps, lease, { dueAt: lookAgainAt, progress, ...(fault === undefined ? {} : { lastError: fault }) });
	return { delayMs: Math.max(SECOND_MS, lookAgainAt - deps.clock.now()) };
}

/** Renews the lease while the work goes on. A consumer that lost it finds out when it commits. */
async function whileHoldingLease<T>(deps: Deps, lease: Lease, work: () => Promise<T>): Promise<T> {
	const stop = deps.clock.every(rules.LEASE_RENEWAL_MS, () => {
		deps.background(store.renewJob(deps, lease, deps.clock.now()));
	});
	try {
		return await work();
	} finally {
		stop();
	}
}

interface Faulted {
	readonly job: store.JobRow;
	readonly lease: Lease;
	readonly work: store.Work;
	/** When this attempt began, in milliseconds since the epoch. */
	readonly startedAt: number;
	readonly fault: EvaluationFault;
}

async function handleFault(deps: Deps, faulted: Faulted): Promise<NextLook> {
	const { job, lease, work, fault } = faulted;
	if (!fault.costsAttempt) return defer(deps, faulted);
	const attempts = job.faults + 1;
	logFault(deps, { job, fault });
	if (!fault.isRetryable || attempts >= rules.MAX_ATTEMPTS) {
		await endAsFailed(deps, { work, jobId: job.id, guard: statements.guardJobLease(deps, lease), fault });
		return null;
	}
	const delayMs = rules.retryDelayMs(attempts, fault.retryAfterSeconds);
	const progress = fault.progress === undefined ? {} : { progress: fault.progress };
	await store.postponeJob(deps, lease, { dueAt: deps.clock.now() + delayMs, lastError: fault.message, ...progress });
	return { delayMs };
}

/** Neither the wait nor the attempt before it counts towards the time limit or the attempts. */
async function defer(deps: Deps, { job, lease, startedAt, fault }: Faulted): Promise<NextLook> {
	const delayMs = rules.waitDelayMs(job.attempts, fault.retryAfterSeconds);
	const dueAt = deps.clock.now() + delayMs;
	deps.log.info("evaluation_deferred", { job_id: job.id, submission_id: job.submissionId, delay_ms: delayMs, reason: fault.message });
	const { message: lastError, waitingFor } = fault;
	const maxWaitingMs = waitingFor === null ? rules.MAX_WAITING_MS : null;
	await store.deferJob(deps, lease, { dueAt, lastError, waitingFor, extendMs: dueAt - startedAt, maxWaitingMs });
	return { delayMs };
}

const MAX_LOGGED_CAUSE_LENGTH = 500;

interface LoggedFault {
	readonly job: Pick<store.JobRow, "id" | "submissionId">;
	readonly fault: EvaluationFault;
}

/** For the operator: agents read the fault's message, which names neither addresses nor what another service said. */
export function logFault(deps: Deps, { job, fault }: LoggedFault): void {
	deps.log.error("evaluation_fault", {
		job_id: job.id,
		submission_id: job.submissionId,
		blame: fault.blame,
		is_retryable: fault.isRetryable,
		fault: fault.message,
		cause: fault.cause instanceof Error ? fault.cause.message.slice(0, MAX_LOGGED_CAUSE_LENGTH) : undefined,
	});
}

/** Another consumer's failure or score stays when it was written first. */
async function endAsFailed(deps: Deps, failure: Failed): Promise<void> {
	try {
		await recordFailure(deps, failure);
	} catch (error) {
		if (!(error instanceof StaleReadError)) throw error;
	}
	stopAllRuns(deps, failure.work, failure.jobId);
	await settleTask(deps, failure.work.task.id);
}

/** Stops what a grader may still run for a job that has ended. */
function stopAllRuns(deps: Deps, { task }: Pick<store.Work, "task">, jobId: string | null): void {
	if (jobId === null || !MODES[task.evalMode].usesImage) return;
	deps.background(stopRuns(deps, { jobId, run: Number.MAX_SAFE_INTEGER }));
}

/** What a thrown error means for the evaluation: what is not a fault yet is the platform's. */
export function toFault(deps: Deps, error: unknown): EvaluationFault {
	if (error instanceof EvaluationFault) return error;
	deps.log.error("evaluation_crashed", describeError(error));
	return new EvaluationFault("The evaluation broke off on the platform's side.", { blame: "platform", isRetryable: true, cause: error });
}

/** The fault of a job whose time is over. */
export function outOfTime(job: Pick<store.JobRow, "lastError">): EvaluationFault {
	const reason = job.lastError === null ? "" : ` Last fault: ${job.lastError}`;
	return new EvaluationFault(`The evaluation did not end within its time limit.${reason}`, { blame: "platform", isRetryable: false });
}

/** Ends a job whose messages all failed, or whose time is over, visibly. */
export async function abandonEvaluation(deps: Deps, jobId: string): Promise<void> {
	const job = await store.findJob(deps, jobId);
	if (job === null || job.finishedAt !== null) return;
	const work = await store.findWork(deps, job.submissionId);
	if (work !== null) await endAsFailed(deps, { work, jobId, guard: statements.guardUnfinished(deps, jobId), fault: outOfTime(job) });
}

const SWEEP_BATCH = 100;

/** The safety net: ends what is out of time, and sends a message for each job that has lost its own. */
export async function sweepEvaluations(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	for (const jobId of await store.selectOverdueJobs(deps, { now, limit: SWEEP_BATCH })) await abandonEvaluation(deps, jobId);
	const lost = await store.markLostJobs(deps, { now, limit: SWEEP_BATCH });
	await Promise.all(lost.map((jobId) => enqueueEvaluation(deps, jobId)));
}
