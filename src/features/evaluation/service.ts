import { StaleReadError, unlessStale } from "../../db/commit.ts";
import { markLostJobs, selectOverdueJobs } from "../../db/judging-jobs.ts";
import { EVALUATION_JOBS, guardLease, guardUnfinished, type Lease } from "../../db/leases.ts";
import type { EvaluationRound } from "../../domain/evaluation-rounds.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import type { Deps, PublicCtx } from "../../ports/deps.ts";
import { hashArtifact } from "../artifacts/hash.ts";
import { evaluateByMode } from "../judging/modes/evaluate-by-mode.ts";
import * as rules from "../judging/rules.ts";
import { settleTask } from "../tasks/service.ts";
import { stopRunsOfJob } from "./image-runs.ts";
import {
	countAttempt,
	handleFault,
	type NextVisit,
	nextVisitOf,
	outOfTime,
	park,
	pauseSweep,
	toFault,
	waitWhilePaused,
	whileHoldingLease,
} from "./job-loop.ts";
import { type Failed, recordFailure, recordScore } from "./outcome.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { tableRecord } from "./table-record.ts";

export { giveSlotBack } from "./outcome.ts";

interface NewJob {
	readonly submissionId: string;
	readonly iteration: number;
	readonly round: EvaluationRound;
	readonly task: { readonly id: string; readonly evalMode: EvalMode; readonly evalTimeoutSeconds: number };
}

/** A job for one evaluation. Its statement belongs in the batch that makes the submission `running`. */
export function newEvaluationJob(ctx: Deps & Pick<PublicCtx, "baseUrl">, { submissionId, iteration, round, task }: NewJob) {
	const now = ctx.clock.now();
	const giveUpAt = now + MODES[task.evalMode].timeLimitMs(task.evalTimeoutSeconds) + rules.GIVE_UP_MARGIN_MS;
	const id = ctx.ids.next();
	const longRubric = MODES[task.evalMode].usesJudge ? { taskId: task.id, ...rules.LONG_RUBRIC } : null;
	const row = { id, submissionId, iteration, round, origin: ctx.baseUrl, dueAt: now, giveUpAt, longRubric, createdAt: now };
	return { id, statement: statements.insertJob(ctx, row) };
}

/** Sends the message for a job. If it is lost, {@link sweepEvaluations} sends another one. */
export async function enqueueEvaluation(deps: Deps, jobId: string): Promise<void> {
	await deps.queues.evaluation.send({ jobId });
}

/** Works on a job if it is due and not leased by another consumer. Repeated and parallel calls evaluate once. */
export function runEvaluation(deps: Deps, jobId: string): Promise<NextVisit> {
	return claimAndRun(deps, jobId, store.claimJob);
}

/** {@link runEvaluation} for the job whose turn it is, unless the named one has begun. */
export function runNextEvaluation(deps: Deps, jobId: string): Promise<NextVisit> {
	return claimAndRun(deps, jobId, store.claimNext);
}

async function claimAndRun(deps: Deps, namedId: string, claim: typeof store.claimJob): Promise<NextVisit> {
	const paused = await waitWhilePaused(deps, EVALUATION_JOBS, namedId);
	if (paused !== undefined) return paused;
	const now = deps.clock.now();
	const token = deps.ids.next();
	const job = await claim(deps, { id: namedId, token }, now);
	if (job === null) return nextVisitOf(await store.findJob(deps, namedId), now);
	if (job.id !== namedId) await requeue(deps, namedId);
	const visit = await evaluate(deps, { job, lease: { id: job.id, token }, now });
	return visit === null ? null : { ...visit, jobId: job.id };
}

/** Sends the message of a job that let another one go first to the end of the queue. */
async function requeue(deps: Deps, jobId: string): Promise<void> {
	const job = await store.findJob(deps, jobId);
	if (job !== null && job.finishedAt === null && job.attempts === 0) await enqueueEvaluation(deps, jobId);
}

interface Claimed {
	readonly job: store.JobRow;
	readonly lease: Lease;
	readonly now: number;
}

async function evaluate(deps: Deps, { job, lease, now }: Claimed): Promise<NextVisit> {
	const { id: jobId } = job;
	const work = await store.findWork(deps, job.submissionId);
	if (work === null) throw new Error(`Job ${jobId} refers to a submission that does not exist.`);
	const attempt = { queue: EVALUATION_JOBS, lease, job, subject: { submission_id: job.submissionId }, startedAt: now };
	try {
		if (job.giveUpAt <= now) throw outOfTime(job);
		const { hashed, outcome } = await whileHoldingLease(deps, attempt, async () => {
			const hashed = await withArtifactHash(deps, work);
			return { hashed, outcome: await evaluateByMode(deps, { ...hashed, job, record: tableRecord(deps, { ...hashed, job }) }) };
		});
		if (outcome.kind === "waiting") return await park(deps, attempt, outcome);
		await recordScore(deps, {
			work: hashed,
			jobId,
			guard: guardLease(deps.db, EVALUATION_JOBS, lease),
			iteration: job.iteration,
			result: outcome.result,
		});
		countAttempt(deps, attempt, { outcome: "scored" });
		stopRunsOfJob(deps, work.task, jobId);
	} catch (error) {
		// Another consumer holds the lease now and will finish the job.
		if (error instanceof StaleReadError) return null;
		const end = (failure: Pick<Failed, "guard" | "fault">) => endAsFailed(deps, { work, jobId, ...failure });
		return handleFault(deps, attempt, { fault: toFault(deps, error), end });
	}
	await settleTask(deps, work.task.id);
	return null;
}

/** An artifact that was uploaded directly to the bucket has no hash yet. */
async function withArtifactHash(deps: Deps, work: store.Work): Promise<store.Work> {
	const { artifactKey, artifactSha256 } = work.submission;
	if (artifactKey === null || artifactSha256 !== null) return work;
	const hash = await hashArtifact(deps.bucket, artifactKey);
	await store.saveArtifactHash(deps, work.submission.id, hash);
	return { ...work, submission: { ...work.submission, artifactSha256: hash } };
}

async function endAsFailed(deps: Deps, failure: Failed): Promise<boolean> {
	const isWritten = await unlessStale(() => recordFailure(deps, failure));
	if (failure.jobId !== null) stopRunsOfJob(deps, failure.work.task, failure.jobId);
	await settleTask(deps, failure.work.task.id);
	return isWritten;
}

/** Ends a job visibly, after all of its messages failed or its time limit is exceeded. */
export async function abandonEvaluation(deps: Deps, jobId: string): Promise<void> {
	const job = await store.findJob(deps, jobId);
	if (job === null || job.finishedAt !== null) return;
	const work = await store.findWork(deps, job.submissionId);
	if (work === null) return;
	const fault = outOfTime(job);
	const isWritten = await endAsFailed(deps, { work, jobId, guard: guardUnfinished(deps.db, EVALUATION_JOBS, jobId), fault });
	if (isWritten) countAttempt(deps, { queue: EVALUATION_JOBS, job, startedAt: deps.clock.now() }, { outcome: "failed", fault });
}

const SWEEP_BATCH = 100;

/** The safety net: ends jobs that exceeded their time limit, and sends a message for each job that has lost its own. */
export async function sweepEvaluations(deps: Deps): Promise<void> {
	if (await pauseSweep(deps, EVALUATION_JOBS)) return;
	const sweep = { now: deps.clock.now(), limit: SWEEP_BATCH };
	for (const jobId of await selectOverdueJobs(deps.db, EVALUATION_JOBS, sweep)) await abandonEvaluation(deps, jobId);
	const lost = await markLostJobs(deps.db, EVALUATION_JOBS, sweep);
	await Promise.all(lost.map((jobId) => enqueueEvaluation(deps, jobId)));
}
