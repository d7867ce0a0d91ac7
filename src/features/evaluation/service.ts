import type { Statement } from "../../db/client.ts";
import { commit, StaleReadError } from "../../db/commit.ts";
import type { Deps } from "../../deps.ts";
import { recordEvents } from "../../events/outbox.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import { refreshLeaderboardEntry } from "../leaderboard/service.ts";
import { settleTask } from "../tasks/service.ts";
import { EvaluationFault } from "./faults.ts";
import { evaluateByMode } from "./modes/choose.ts";
import { type EvaluationReport, writeReport } from "./report.ts";
import * as rules from "./rules.ts";
import * as store from "./store.ts";
import type { EvaluationResult } from "./work.ts";

export { type EvaluationReport, readReport } from "./report.ts";

interface NewJob {
	readonly submissionId: string;
	readonly iteration: number;
	readonly task: Parameters<typeof rules.timeLimitMs>[0];
}

/** A job for one evaluation, with the statement that belongs into the batch which makes the submission `running`. */
export function newEvaluationJob(deps: Deps, { submissionId, iteration, task }: NewJob) {
	const now = deps.clock.now();
	const giveUpAt = now + rules.timeLimitMs(task) + rules.GIVE_UP_MARGIN_MS;
	const id = deps.ids.next();
	return { id, statement: store.insertJob(deps, { id, submissionId, iteration, dueAt: now, giveUpAt, createdAt: now }) };
}

/** Tells a consumer of a job. When the message is lost, {@link sweepEvaluations} sends another. */
export async function enqueueEvaluation(deps: Deps, jobId: string): Promise<void> {
	await deps.queues.evaluation.send({ jobId });
}

/** When to look at the job again, in milliseconds; null when it is finished. */
export type NextLook = { readonly delayMs: number } | null;

/**
 * Works on a job if it is due and nobody else does. Any number of calls, at once or in a row, evaluate once.
 */
export async function runEvaluation(deps: Deps, jobId: string): Promise<NextLook> {
	const now = deps.clock.now();
	const lease = { jobId, token: deps.ids.next() };
	const job = await store.claimJob(deps, { ...lease, now, expiresAt: now + rules.LEASE_MS });
	if (job === null) return nextLookAt(await store.findJob(deps, jobId), now);
	const work = await store.findWork(deps, job.submissionId);
	if (work === null) throw new Error(`Job ${jobId} refers to a submission that does not exist.`);
	if (job.giveUpAt <= now) return endAsFailed(deps, { job, work, fault: outOfTime(job), hold: store.guardLease(deps, lease) });
	try {
		const result = await whileHoldingLease(deps, lease, () => evaluateByMode(deps, work));
		await recordResult(deps, { job, lease, work, result });
	} catch (error) {
		// Somebody else holds the lease now and will finish the job.
		if (error instanceof StaleReadError) return null;
		return handleFault(deps, { job, lease, work, fault: toFault(deps, error) });
	}
	await settleTask(deps, work.task.id);
	return null;
}

function nextLookAt(job: store.JobRow | null, now: number): NextLook {
	if (job === null || job.finishedAt !== null) return null;
	return { delayMs: Math.max(SECOND_MS, Math.max(job.dueAt, job.leaseExpiresAt ?? 0) - now) };
}

/** Renews the lease while the work goes on. A consumer that lost it finds out when it commits. */
async function whileHoldingLease<T>(deps: Deps, lease: store.Lease, work: () => Promise<T>): Promise<T> {
	const stop = deps.clock.every(rules.LEASE_RENEWAL_MS, () => {
		deps.background(store.renewLease(deps, lease, deps.clock.now() + rules.LEASE_MS));
	});
	try {
		return await work();
	} finally {
		stop();
	}
}

interface Evaluated {
	readonly job: store.JobRow;
	readonly lease: store.Lease;
	readonly work: store.Work;
	readonly result: EvaluationResult;
}

/** Writes an evaluation, the submission's medians, the leaderboard entry and the events as one change. */
async function recordResult(deps: Deps, { job, lease, work, result }: Evaluated): Promise<void> {
	const { submission, task, earlier } = work;
	const evaluationId = deps.ids.next();
	const report = mergeReport(result, earlier);
	const reportKey = await writeReport(deps, { submissionId: submission.id, evaluationId, report });
	const evaluation = {
		id: evaluationId,
		submissionId: submission.id,
		iteration: job.iteration,
		evalMode: task.evalMode,
		rubricVersion: task.rubricVersion,
		artifactSha256: submission.artifactSha256,
		judge: result.judge,
		models: [...result.models],
		promptVersion: result.promptVersion,
		imageDigest: result.imageDigest,
		finalScore: rules.finalScore({ ...result, testWeight: task.testWeight, llmWeight: task.llmWeight }),
		testScore: result.testScore,
		llmScore: result.llmScore,
		containerScore: result.containerScore,
		dimensions: result.dimensions.map(({ criterion, score }) => ({ criterion, score })),
		reportKey,
		createdAt: deps.clock.now(),
	};
	const scores = mergeScores([...earlier.filter((row) => row.rubricVersion === task.rubricVersion), evaluation]);
	const ids = { taskId: task.id, submissionId: submission.id };
	await commit(deps.db, [
		store.guardLease(deps, lease),
		store.insertEvaluation(deps, evaluation),
		store.updateSubmission(deps, submission.id, { ...scores, status: "completed", evaluated: true, errorMessage: null, reportKey }),
		store.finishJob(deps, job.id, { outcome: "scored", lastError: null }),
		refreshLeaderboardEntry(deps, { taskId: task.id, agentId: submission.agentId }),
		recordEvents(deps, [
			{ type: "evaluation.completed", ...ids, agentId: submission.agentId, evaluationId },
			{ type: "submission.completed", ...ids, agentId: submission.agentId, finalScore: scores.finalScore },
		]),
	]);
}

type Scored = Pick<store.EvaluationRow, "finalScore" | "testScore" | "llmScore" | "containerScore">;

/** Each score is the median of its kind, so that asking again cannot be farmed. */
function mergeScores(all: readonly Scored[]) {
	return {
		finalScore: rules.median(all.map((row) => row.finalScore)),
		testScore: rules.medianOfKnown(all.map((row) => row.testScore)),
		llmScore: rules.medianOfKnown(all.map((row) => row.llmScore)),
		containerScore: rules.medianOfKnown(all.map((row) => row.containerScore)),
	};
}

/** The newest reasoning with the median score of each criterion. */
function mergeReport(result: EvaluationResult, earlier: readonly store.EvaluationRow[]): EvaluationReport {
	const dimensions = result.dimensions.map(({ criterion, weight, score, reasoning }) => {
		const known = earlier.flatMap((row) =>
			row.dimensions.filter((dimension) => dimension.criterion === criterion).map((dimension) => dimension.score),
		);
		return { criterion_name: criterion, weight, reasoning, score: rules.median([...known, score]) ?? score };
	});
	return { reasoning: result.reasoning, dimensions, breakdown: { ...result.breakdown, evaluations: earlier.length + 1 } };
}

interface Faulted {
	readonly job: store.JobRow;
	readonly lease: store.Lease;
	readonly work: store.Work;
	readonly fault: EvaluationFault;
}

async function handleFault(deps: Deps, { job, lease, work, fault }: Faulted): Promise<NextLook> {
	if (!fault.isRetryable || job.attempts >= rules.MAX_ATTEMPTS) {
		return endAsFailed(deps, { job, work, fault, hold: store.guardLease(deps, lease) });
	}
	const delayMs = rules.retryDelayMs(job.attempts, fault.retryAfterSeconds);
	await store.postponeJob(deps, lease, { dueAt: deps.clock.now() + delayMs, lastError: fault.message });
	return { delayMs };
}

function toFault(deps: Deps, error: unknown): EvaluationFault {
	if (error instanceof EvaluationFault) return error;
	deps.log.error("evaluation_crashed", describeError(error));
	return new EvaluationFault("The evaluation broke off on the platform's side.", { blame: "platform", isRetryable: true, cause: error });
}

function outOfTime(job: Pick<store.JobRow, "lastError">): EvaluationFault {
	const reason = job.lastError === null ? "" : ` Last fault: ${job.lastError}`;
	return new EvaluationFault(`The evaluation did not end within its time limit.${reason}`, { blame: "platform", isRetryable: false });
}

interface Failure {
	readonly job: Pick<store.JobRow, "id">;
	readonly work: store.Work;
	readonly fault: EvaluationFault;
	/** What must still be true when the failure is written. */
	readonly hold: Statement;
}

/** Ends a job without a score. A fault of the platform's gives the agent its slot back, once. */
async function endAsFailed(deps: Deps, { job, work, fault, hold }: Failure): Promise<null> {
	const { submission, task } = work;
	const isSlotReturned = fault.blame === "platform" && !submission.slotReturned && work.earlier.length === 0;
	const slotReturned = submission.slotReturned || isSlotReturned;
	const ids = { taskId: task.id, submissionId: submission.id, agentId: submission.agentId };
	const errorMessage = isSlotReturned ? `${fault.message} Your submission slot was given back.` : fault.message;
	try {
		await commit(deps.db, [
			hold,
			store.updateSubmission(deps, submission.id, { status: "evaluation_failed", evaluated: false, errorMessage, slotReturned }),
			store.finishJob(deps, job.id, { outcome: "failed", lastError: fault.message }),
			...(isSlotReturned ? [store.returnSlot(deps, ids)] : []),
			recordEvents(deps, [
				{ type: "submission.failed", ...ids, errorMessage },
				{ type: "submission.completed", ...ids, finalScore: null },
			]),
		]);
	} catch (error) {
		if (!(error instanceof StaleReadError)) throw error;
	}
	await settleTask(deps, task.id);
	return null;
}

/** Ends a job whose messages all failed, or whose time is over, visibly. */
export async function abandonEvaluation(deps: Deps, jobId: string): Promise<void> {
	const job = await store.findJob(deps, jobId);
	if (job === null || job.finishedAt !== null) return;
	const work = await store.findWork(deps, job.submissionId);
	if (work !== null) await endAsFailed(deps, { job, work, fault: outOfTime(job), hold: store.guardUnfinished(deps, jobId) });
}

const SWEEP_BATCH = 100;

/** The safety net: ends what is out of time, and sends a message for each job that has lost its own. */
export async function sweepEvaluations(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	for (const jobId of await store.selectOverdueJobs(deps, { now, limit: SWEEP_BATCH })) await abandonEvaluation(deps, jobId);
	const lost = await store.markLostJobs(deps, { now, dueBefore: now - rules.LOST_MESSAGE_MS, limit: SWEEP_BATCH });
	await Promise.all(lost.map((jobId) => enqueueEvaluation(deps, jobId)));
}
