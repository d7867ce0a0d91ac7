// Judging a trial: the consumer's loop. The judging itself is the code that judges submissions.
import { StaleReadError, unlessStale } from "../../db/commit.ts";
import { markLostJobs, selectOverdueJobs } from "../../db/judging-jobs.ts";
import { guardLease, guardUnfinished, TRIALS } from "../../db/leases.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { MODES } from "../../domain/modes.ts";
import type { Deps } from "../../ports/deps.ts";
import { JUDGE_CASES } from "../competition/judge-check/cases/index.ts";
import { stopRunsOfJob } from "../evaluation/image-runs.ts";
import {
	type Attempt,
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
} from "../evaluation/job-loop.ts";
import { tableRecord } from "../evaluation/table-record.ts";
import { enqueueTrial } from "../judge-check/service.ts";
import { evaluateByMode } from "../judging/modes/evaluate-by-mode.ts";
import type { EvaluationWork } from "../judging/work.ts";
import { storeCase } from "./case-artifact.ts";
import { recordCancellation, recordFailure, recordScore } from "./outcome.ts";
import * as store from "./store.ts";

type TrialTask = NonNullable<Awaited<ReturnType<typeof store.findTask>>>;

interface Held extends TrialTask {
	readonly trial: store.TrialRow;
	readonly attempt: Attempt;
}

/**
 * Works on a trial if it is due and not leased by another consumer. Repeated and parallel calls judge it once.
 * A trial is deleted together with its task.
 *
 * @returns When to visit it again, in milliseconds; null when it has ended.
 */
export async function runTrial(deps: Deps, trialId: string): Promise<NextVisit> {
	const paused = await waitWhilePaused(deps, TRIALS, trialId);
	if (paused !== undefined) return paused;
	const now = deps.clock.now();
	const lease = { id: trialId, token: deps.ids.next() };
	const trial = await store.claimTrial(deps, lease, now);
	if (trial === null) return nextVisitOf(await store.findTrial(deps, trialId), now);
	const found = await store.findTask(deps, trial.taskId);
	if (found === null) return null;
	const attempt = { queue: TRIALS, lease, job: trial, subject: { task_id: trial.taskId }, startedAt: now };
	const held = { ...found, trial, attempt };
	try {
		return await judge(deps, held);
	} catch (error) {
		// Another consumer holds the lease now, or the task was deleted.
		if (error instanceof StaleReadError) return null;
		return handleFault(deps, attempt, { fault: toFault(deps, error), end: (failure) => endAsFailed(deps, held, failure) });
	}
}

async function judge(deps: Deps, held: Held): Promise<NextVisit> {
	const { trial, task, attempt } = held;
	const guard = guardLease(deps.db, TRIALS, attempt.lease);
	if (isObsolete(held)) {
		await recordCancellation(deps, { trial, guard });
		stopRunsOfJob(deps, task, trial.id);
		return null;
	}
	if (trial.giveUpAt <= deps.clock.now()) throw outOfTime(trial);
	if (MODES[task.evalMode].isExternal) throw becameExternal();
	const outcome = await whileHoldingLease(deps, attempt, async () => evaluateByMode(deps, await prepareWork(deps, held)));
	if (outcome.kind === "waiting") return park(deps, attempt, outcome);
	await recordScore(deps, { trial, guard, task, result: outcome.result });
	countAttempt(deps, attempt, { outcome: "scored" });
	stopRunsOfJob(deps, task, trial.id);
	return null;
}

const findCase = ({ kind, name }: store.TrialRow) =>
	kind === "judge_check" ? (JUDGE_CASES.find((known) => known.name === name) ?? null) : null;

/** Whether its task is closed now, or this version of the platform no longer has the case. */
function isObsolete({ trial, task }: Held): boolean {
	return trial.kind === "judge_check" && (task.status === "closed" || findCase(trial) === null);
}

/** A draft can change while its files wait. */
function becameExternal(): EvaluationFault {
	const message = "The task is judged by your own service now, so nothing was judged here.";
	return new EvaluationFault(message, { blame: "submission", isRetryable: false });
}

/** The input of a mode. One sample per criterion is enough for a case, whose score need not be exact. */
async function prepareWork(deps: Deps, { trial, task, criteria, attempt }: Held): Promise<EvaluationWork> {
	const attack = findCase(trial);
	const { artifactKey, artifactSha256, missingSections } =
		attack !== null && trial.artifactKey === null
			? await storeCase(deps, attempt.lease, { attack, task: { title: task.title, criteria } })
			: trial;
	const work = {
		task,
		criteria,
		submission: { id: trial.id, agentId: task.companyId, artifactKey, artifactSha256, missingSections, iteration: 1 },
		job: { ...trial, round: "submission" },
		isTrial: true,
		...(attack === null ? {} : { samples: 1 }),
	} as const;
	return { ...work, record: tableRecord(deps, work) };
}

type Ended = Pick<Held, "trial" | "task">;
type Failure = Pick<Parameters<typeof recordFailure>[1], "guard" | "fault">;

async function endAsFailed(deps: Deps, ended: Ended, failure: Failure): Promise<boolean> {
	const isWritten = await unlessStale(() => recordFailure(deps, { trial: ended.trial, ...failure }));
	stopRunsOfJob(deps, ended.task, ended.trial.id);
	return isWritten;
}

/** Ends a trial visibly, after all of its messages failed or its time limit is exceeded. */
export async function abandonTrial(deps: Deps, trialId: string): Promise<void> {
	const trial = await store.findTrial(deps, trialId);
	if (trial === null || trial.finishedAt !== null) return;
	const found = await store.findTask(deps, trial.taskId);
	if (found === null) return;
	const fault = outOfTime(trial);
	const isWritten = await endAsFailed(deps, { trial, task: found.task }, { guard: guardUnfinished(deps.db, TRIALS, trialId), fault });
	if (isWritten) countAttempt(deps, { queue: TRIALS, job: trial, startedAt: deps.clock.now() }, { outcome: "failed", fault });
}

const SWEEP_BATCH = 100;

/** The safety net: ends trials that exceeded their time limit, and sends a message for each trial that has lost its own. */
export async function sweepTrials(deps: Deps): Promise<void> {
	if (await pauseSweep(deps, TRIALS)) return;
	const sweep = { now: deps.clock.now(), limit: SWEEP_BATCH };
	for (const trialId of await selectOverdueJobs(deps.db, TRIALS, sweep)) await abandonTrial(deps, trialId);
	const lost = await markLostJobs(deps.db, TRIALS, sweep);
	await Promise.all(lost.map((trialId) => enqueueTrial(deps, trialId)));
}
