// Connects an evaluation under way to the Task object and to the directory.
import { and, asc, eq, isNotNull, ne } from "drizzle-orm";
import { type JobRow, jobs } from "../../../db/task/schema/judging.ts";
import { board, evaluations, submissions } from "../../../db/task/schema/submissions.ts";
import { judgedAttachments } from "../../../db/task/schema/task.ts";
import { addSpend, isWithin, NO_SPEND, type Spend, type SpendCeiling, scaleSpend, sumUsage, toSpend } from "../../../domain/spend.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { openGrader, runIdOf } from "../../judging/grader/client.ts";
import type { ModelUsage } from "../../judging/model/usage-meter.ts";
import type { CallPlan, EvaluationRecord, EvaluationTask } from "../../judging/work.ts";
import { MIN_CANDIDATES, reachOf } from "../final-round/rules.ts";
import { updateJob } from "../judgements/jobs.ts";
import { findUsage, holderOfAgent } from "../judgements/usage.ts";
import {
	ceilingsOf,
	describeCeilingWait,
	describeShareWait,
	hasCeiling,
	hasRoomFor,
	isWithinShare,
	openPart,
	type SpendLevel,
} from "../spend/rules.ts";
import { findLevels, mustWait, readCeilings, recordUsage } from "../spend/service.ts";
import { getSubmissionRow } from "../submissions/store.ts";
import { readTask, updateTaskRow } from "../tasks/store.ts";
import { jobObjectKey } from "../tasks/stored-objects.ts";
import { type Claim, findClaimedJob } from "./loop.ts";

/** Is thrown when the job has ended, or another consumer has it. */
export class LostClaimError extends Error {
	override readonly name = "LostClaimError";
}

/** Counts a run before it is requested. Returns false for a consumer that has lost the claim. */
const recordRun = taskVerb("recordRun", (task, { held, run }: { held: Claim; run: number }): boolean => {
	const job = findClaimedJob(task, held);
	if (job !== null && job.runs < run) updateJob(task, job, { runs: run });
	return job !== null;
});

/** Pins the task's image, unless it is pinned. */
const pinImage = taskVerb("pinImage", (task, { digest }: { digest: string }): string => {
	const { evalImageDigest } = readTask(task);
	if (evalImageDigest === null) updateTaskRow(task, { evalImageDigest: digest });
	return evalImageDigest ?? digest;
});

/** Reads the copies that the judge reads, in the order in which the files were attached. */
const readJudgedTexts = taskVerb("readJudgedTexts", ({ db }, _input: null) =>
	db
		.select({ filename: judgedAttachments.filename, text: judgedAttachments.text })
		.from(judgedAttachments)
		.orderBy(asc(judgedAttachments.id))
		.all(),
);

interface Allowance {
	readonly held: Claim;
	readonly wanted: Spend;
	/** An evaluation makes this number of calls to models if none has to be repeated. */
	readonly calls: number;
	/** The task has this ceiling. */
	readonly ceiling: SpendCeiling;
}

/**
 * Decides whether the task's ceiling leaves room for calls to models, next to what was used and what others may use now. Null for a
 * consumer that has lost the claim.
 */
const allowCalls = taskVerb("allowCalls", (task, { held, wanted, calls, ceiling }: Allowance) => {
	const job = findClaimedJob(task, held);
	if (job === null) return null;
	const level = spendLevel(task, job.id);
	const part = job.round === "final" ? ceiling : openPart(ceiling, readTask(task));
	const isRoom = hasRoomFor(wanted, level, part);
	const isShare = isWithinOwnShare(task, job, { wanted, calls, ceiling });
	const isAllowed = isRoom && isShare;
	if (isAllowed) updateJob(task, job, { mayUse: wanted, ceilingSince: null });
	else if (job.mayUse !== null) updateJob(task, job, { mayUse: null });
	return { isAllowed, isShareUsed: isRoom && !isShare, level, part };
});

/** The share applies to the submissions of agents before the final round. */
function isWithinOwnShare(task: TaskStore, job: JobRow, { wanted, calls, ceiling }: Omit<Allowance, "held">): boolean {
	if (job.kind !== "evaluation" || job.round === "final") return true;
	const { agentId } = getSubmissionRow(task, job.subjectId);
	const failed = findUsage(task, holderOfAgent(agentId));
	const scored = task.db
		.select({ spent: evaluations.spent })
		.from(evaluations)
		.innerJoin(submissions, eq(submissions.id, evaluations.submissionId))
		.where(and(eq(submissions.agentId, agentId), ne(evaluations.round, "final"), isNotNull(evaluations.spent)))
		.all()
		.flatMap(({ spent }) => spent ?? []);
	const reserved = task.db
		.select({ mayUse: jobs.mayUse })
		.from(jobs)
		.innerJoin(submissions, eq(submissions.id, jobs.subjectId))
		.where(and(eq(jobs.state, "claimed"), ne(jobs.id, job.id), isNotNull(jobs.mayUse), eq(submissions.agentId, agentId)))
		.all();
	const ofAgent = {
		used: scored.reduce(addSpend, failed === null ? NO_SPEND : toSpend([failed])),
		reserved: reserved.reduce((sum, { mayUse }) => addSpend(sum, mayUse ?? NO_SPEND), NO_SPEND),
		calls: scored.reduce((sum, spent) => sum + spent.calls, (failed?.calls ?? 0) + reserved.length * calls),
	};
	return isWithinShare(ofAgent, { wanted, calls }, ceiling);
}

/** Sums what judging the task has used, and what evaluations under way may use. It leaves out the evaluation of one job. */
export function spendLevel(task: TaskStore, exceptJobId = ""): SpendLevel {
	const recorded = findUsage(task, "task");
	const claimed = task.db
		.select({ mayUse: jobs.mayUse })
		.from(jobs)
		.where(and(eq(jobs.state, "claimed"), ne(jobs.id, exceptJobId)))
		.all();
	return {
		used: recorded === null ? NO_SPEND : toSpend([recorded]),
		reserved: claimed.reduce((sum, { mayUse }) => (mayUse === null ? sum : addSpend(sum, mayUse)), NO_SPEND),
	};
}

interface ClaimContext {
	readonly task: EvaluationTask;
	readonly jobId: string;
	readonly held: Claim;
}

export interface ObjectRecord extends EvaluationRecord {
	/** The calls to models have used this so far. The consumer hands it to the object when the attempt ends. */
	readonly used: readonly ModelUsage[];
}

export function objectRecord(deps: Deps, { task, jobId, held }: ClaimContext): ObjectRecord {
	const used: ModelUsage[] = [];
	return {
		used,
		async recordRun(run) {
			const isHeld = await recordRun(deps, task.id, { held, run });
			if (!isHeld) throw new LostClaimError(`Job ${jobId} has ended.`);
		},
		stopRuns: (upTo) => stopRuns(deps, jobId, upTo).then(() => {}),
		pinImage: (digest) => pinImage(deps, task.id, { digest }),
		readAttachments: () => readJudgedTexts(deps, task.id, null),
		keyOf: (object) => jobObjectKey(task.id, jobId, object),
		allowCalls: (plan) => askForRoom(deps, { task, jobId, held }, plan),
		async recordUsage(parts) {
			used.push(...parts);
			countCalls(deps, parts);
			if (parts.length === 0) return;
			try {
				await recordUsage(deps, task.companyId, sumUsage(parts));
			} catch (error) {
				deps.log.error("usage_not_recorded", { task_id: task.id, ...describeError(error) });
			}
		},
	};
}

/** @throws EvaluationFault that costs no attempt, when a ceiling leaves no room for the calls. */
async function askForRoom(deps: Deps, { task, jobId, held }: ClaimContext, { estimate, criteria }: CallPlan): Promise<void> {
	const ceilings = ceilingsOf(task, await readCeilings(deps));
	if (!hasCeiling(ceilings)) return;
	const wanted = scaleSpend({ tokens: estimate.tokens, costMicroUsd: estimate.costMicroUsd }, criteria * estimate.samples);
	const now = deps.clock.now();
	const noLevel = { used: NO_SPEND, reserved: NO_SPEND };
	const ofDays = await findLevels(deps, task, { ceilings, ofTask: noLevel });
	const isFree = isWithin(addSpend(ofDays.poster_day.used, wanted), ceilings.poster_day);
	if (!isFree || !isWithin(addSpend(ofDays.deployment_day.used, wanted), ceilings.deployment_day)) {
		throw mustWait(deps, task, describeCeilingWait({ wanted, levels: ofDays, ceilings }, { now, jitter: deps.random() }));
	}
	const calls = criteria * estimate.samples;
	const reply = await allowCalls(deps, task.id, { held, wanted, calls, ceiling: ceilings.task });
	if (reply === null) throw new LostClaimError(`Job ${jobId} has ended.`);
	if (reply.isAllowed) return;
	if (reply.isShareUsed) throw mustWait(deps, task, describeShareWait(deps.random()));
	const levels = { ...ofDays, task: reply.level };
	throw mustWait(
		deps,
		task,
		describeCeilingWait({ wanted, levels, ceilings: { ...ceilings, task: reply.part } }, { now, jitter: deps.random() }),
	);
}

/** Stops the runs of a job up to this one. Returns true if none can still be at work. */
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

/** Writes the usage of each model as a data point. */
function countCalls({ metrics }: Deps, used: readonly ModelUsage[]): void {
	for (const { model, calls, inputTokens, outputTokens, costMicroUsd } of used) {
		metrics.write("judge", { model, calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_micro_usd: costMicroUsd ?? 0 });
	}
}

/**
 * Finds the score from which an agent's work also gets the strong model, because with two stages that judges only works within reach of
 * the first places. Returns null if all of it does. The agent's own entry does not count.
 */
export const findReach = taskVerb("findReach", ({ db, config }, { agentId }: { agentId: string }): number | null => {
	const last = db
		.select({ finalScore: board.finalScore })
		.from(board)
		.where(ne(board.agentId, agentId))
		.orderBy(asc(board.rankKey))
		.limit(1)
		.offset(MIN_CANDIDATES - 1)
		.get();
	return reachOf(last?.finalScore ?? null, config.judgeSpreadPoints);
});
