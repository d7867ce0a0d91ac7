// Lets a running evaluation read from and write to the Task object and the directory.
import type { JobRow } from "../../../db/task/schema/judging.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { sumUsage, taskCeilingOf } from "../../../domain/spend.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { openGrader, runIdOf } from "../../judging/grader/client.ts";
import type { ModelUsage } from "../../judging/usage-meter.ts";
import type { CostEstimate, EvaluationRecord, EvaluationTask } from "../../judging/work.ts";
import { updateJob } from "../judgements/jobs.ts";
import { describeNoRoom, divideEstimate } from "../spend/rules.ts";
import { readLimits, reserveDay, settleDay } from "../spend/service.ts";
import { findRoom, isFirstEvaluation } from "../spend/task-scope.ts";
import { getSubmissionRow } from "../submissions/store.ts";
import { readTask, selectJudgedTexts, updateTaskRow } from "../tasks/store.ts";
import { jobObjectKey } from "../tasks/stored-objects.ts";
import { rulesOf } from "./job-kind.ts";
import { type Claim, findClaimedJob } from "./loop.ts";

/** Thrown if the job has ended or another consumer has taken it over. */
export class LostClaimError extends Error {
	override readonly name = "LostClaimError";
}

/** Counts a container run before the grader is asked to start it. Returns false if the consumer has lost its claim. */
const recordRun = taskVerb("recordRun", (task, { claim, run }: { claim: Claim; run: number }): boolean => {
	const job = findClaimedJob(task, claim);
	if (job !== null && job.runs < run) updateJob(task, job, { runs: run });
	return job !== null;
});

/** Pins the task's image, if it is not pinned yet. Returns the pinned digest. */
const pinImage = taskVerb("pinImage", (task, { digest }: { digest: string }): string => {
	const { evalImageDigest } = readTask(task);
	if (evalImageDigest === null) updateTaskRow(task, { evalImageDigest: digest });
	return evalImageDigest ?? digest;
});

const readJudgedTexts = taskVerb("readJudgedTexts", (task, _input: null) => selectJudgedTexts(task));

interface TaskReservation {
	readonly claim: Claim;
	readonly amount: number;
	/** The task's spending ceiling in millionths of a US dollar. Null if there is none. */
	readonly ceiling: number | null;
}

/** Reserves an amount under the task's ceiling, if there is room. Returns null if the consumer has lost its claim. */
const reserveUnderCeiling = taskVerb("reserveUnderCeiling", (task, { claim, amount, ceiling }: TaskReservation) => {
	const job = findClaimedJob(task, claim);
	if (job === null) return null;
	if (rulesOf(task.parts.jobs, job).isReserved) return { room: "room" as const, isFirst: false };
	const agentId = job.kind === "evaluation" ? getSubmissionRow(task, job.subjectId).agentId : null;
	const isFirst = job.fund === "agents" && agentId !== null && isFirstEvaluation(task, { agentId, jobId: job.id });
	const room = findRoom(task, { amount, fund: job.fund, isFirst, agentId, jobId: job.id, ceiling });
	if (room === "room") updateJob(task, job, { reserved: amount, isFirst });
	return { room, isFirst };
});

interface ClaimContext {
	readonly task: EvaluationTask & Pick<TaskRow, "posterPayer">;
	readonly job: Pick<JobRow, "id" | "attempts" | "fund" | "payer">;
	readonly claim: Claim;
}

export interface ObjectRecord extends EvaluationRecord {
	/** Model usage so far. The consumer passes it to the object when the attempt ends. */
	readonly used: readonly ModelUsage[];
	/** Settles the reservation under the daily ceilings, if there is one. */
	settle(isScored: boolean): Promise<void>;
}

export function objectRecord(deps: Deps, context: ClaimContext): ObjectRecord {
	const { task, job, claim } = context;
	const used: ModelUsage[] = [];
	let isReserved = false;
	return {
		used,
		async recordRun(run) {
			const isHeld = await recordRun(deps, task.id, { claim, run });
			if (!isHeld) throw new LostClaimError(`Job ${job.id} has ended.`);
		},
		stopRuns: (upTo) => stopRuns(deps, job.id, upTo).then(() => {}),
		pinImage: (digest) => pinImage(deps, task.id, { digest }),
		readAttachments: () => readJudgedTexts(deps, task.id, null),
		keyOf: (object) => jobObjectKey(task.id, job.id, object),
		async reserve(estimate) {
			// The offline judge, which judges test tasks, costs nothing.
			if (task.isTest) return;
			await reserve(deps, context, estimate);
			isReserved = true;
		},
		recordUsage(parts) {
			used.push(...parts);
			countCalls(deps, parts);
		},
		async settle(isScored) {
			if (isReserved) await settleDay(deps, { job: job.id, claim: job.attempts }, { ...sumUsage(used), evaluations: isScored ? 1 : 0 });
		},
	};
}

/**
 * Reserves the expected cost of an attempt: first under the task's ceiling, then under the daily ceilings. If the task's ceiling is too
 * low, the job ends. If a daily ceiling is reached, the job can wait.
 *
 * @throws EvaluationFault if a ceiling is reached.
 */
async function reserve(deps: Deps, { task, job, claim }: ClaimContext, { microUsd: amount, ...plan }: CostEstimate): Promise<void> {
	const limits = await readLimits(deps);
	const ceiling = taskCeilingOf(limits.ceilings, task.budgetCents);
	const reply = await reserveUnderCeiling(deps, task.id, { claim, amount, ceiling });
	if (reply === null) throw new LostClaimError(`Job ${job.id} has ended.`);
	if (reply.room !== "room") {
		throw new EvaluationFault(describeNoRoom(reply.room, job.fund), { blame: "platform", isRetryable: false, lacksRoom: true });
	}
	// If an agent pays for the job, the poster, who wrote the rubric, pays for the checks beyond the agent's share.
	const estimate = { amount, criteria: plan.criteria, checks: job.fund === "agents" ? plan.checks : 0 };
	const payers = { submitter: job.payer, poster: task.posterPayer, posterId: task.companyId };
	const parts = divideEstimate(estimate, job.fund === "all" ? { ...payers, submitter: null, poster: null } : payers, {
		...limits,
		isFirst: reply.isFirst,
	});
	await reserveDay(deps, { job: job.id, claim: job.attempts }, { taskId: task.id, parts });
}

/** Stops a job's runs with numbers up to `upTo`. Returns true if none of them can still be running. */
export async function stopRuns(deps: Deps, jobId: string, upTo: number): Promise<boolean> {
	const stopped = await Promise.all(Array.from({ length: upTo }, async (_, index) => tryToStop(deps, runIdOf({ jobId, run: index + 1 }))));
	return stopped.every((isStopped) => isStopped);
}

async function tryToStop(deps: Deps, id: string): Promise<boolean> {
	try {
		await openGrader(deps)?.stop(id);
		return true;
	} catch (error) {
		deps.log.error("grader_run_not_stopped", { run_id: id, ...describeError(error) });
		return false;
	}
}

/** Writes one data point per model. */
function countCalls({ metrics }: Deps, used: readonly ModelUsage[]): void {
	for (const { model, calls, inputTokens, outputTokens, costMicroUsd } of used) {
		metrics.write("judge", { model, calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_micro_usd: costMicroUsd ?? 0 });
	}
}
