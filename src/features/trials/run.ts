// Judging a trial: the consumer's loop. The judging itself is the code that judges submissions.
import { StaleReadError } from "../../db/commit.ts";
import type { Lease } from "../../db/leases.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { MODES } from "../../domain/modes.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import { evaluateByMode } from "../evaluation/evaluate-by-mode.ts";
import { stopRuns } from "../evaluation/image-runs.ts";
import { LEASE_RENEWAL_MS, MAX_ATTEMPTS, MAX_WAITING_MS, retryDelayMs, waitDelayMs } from "../evaluation/rules.ts";
import { logFault, type NextLook, nextLookAt, outOfTime, toFault } from "../evaluation/service.ts";
import type { EvaluationWork, ModeOutcome } from "../evaluation/work.ts";
import { JUDGE_CASES } from "../judge-check/cases/index.ts";
import { enqueueTrial } from "../judge-check/service.ts";
import { storeCase } from "./case-artifact.ts";
import { recordCancellation, recordFailure, recordScore } from "./outcome.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

type TrialTask = NonNullable<Awaited<ReturnType<typeof store.findTask>>>;

interface Attempt extends TrialTask {
	readonly trial: store.TrialRow;
	readonly lease: Lease;
	/** In milliseconds since the epoch. */
	readonly startedAt: number;
}

/**
 * Works on a trial if it is due and not leased by another consumer. Any number of calls, at once or in a row, judge it once.
 * A trial whose task was deleted is gone with it.
 *
 * @returns When to look at it again, in milliseconds; null when it has ended.
 */
export async function runTrial(deps: Deps, trialId: string): Promise<NextLook> {
	const now = deps.clock.now();
	const lease = { id: trialId, token: deps.ids.next() };
	const trial = await store.claimTrial(deps, lease, now);
	if (trial === null) return nextLookAt(await store.findTrial(deps, trialId), now);
	const found = await store.findTask(deps, trial.taskId);
	if (found === null) return null;
	const attempt = { ...found, trial, lease, startedAt: now };
	try {
		return await judge(deps, attempt);
	} catch (error) {
		// Another consumer holds the lease now, or the task was deleted.
		if (error instanceof StaleReadError) return null;
		return handleFault(deps, attempt, toFault(deps, error));
	}
}

async function judge(deps: Deps, attempt: Attempt): Promise<NextLook> {
	const { trial, task, lease } = attempt;
	const guard = statements.guardTrialLease(deps, lease);
	if (isObsolete(attempt)) {
		await recordCancellation(deps, { trial, guard });
		stopAllRuns(deps, attempt);
		return null;
	}
	if (trial.giveUpAt <= deps.clock.now()) throw outOfTime(trial);
	if (MODES[task.evalMode].isExternal) throw becameExternal();
	const outcome = await whileHoldingLease(deps, lease, async () => evaluateByMode(deps, await prepareWork(deps, attempt)));
	if (outcome.kind === "waiting") return park(deps, lease, outcome);
	await recordScore(deps, { trial, guard, task, result: outcome.result });
	stopAllRuns(deps, attempt);
	return null;
}

const findCase = ({ kind, name }: store.TrialRow) =>
	kind === "judge_check" ? (JUDGE_CASES.find((known) => known.name === name) ?? null) : null;

/** A case of a task that is closed by now, or one that this version of the platform does not have any more. */
function isObsolete({ trial, task }: Attempt): boolean {
	return trial.kind === "judge_check" && (task.status === "closed" || findCase(trial) === null);
}

/** A draft can change while its files wait. */
function becameExternal(): EvaluationFault {
	const message = "The task is judged by your own service now, so nothing was judged here.";
	return new EvaluationFault(message, { blame: "submission", isRetryable: false });
}

/** What a mode gets. A case needs one opinion for each criterion: its score need not be exact. */
async function prepareWork(deps: Deps, { trial, task, criteria, lease }: Attempt): Promise<EvaluationWork> {
	const attack = findCase(trial);
	const { artifactKey, artifactSha256, missingSections } =
		attack !== null && trial.artifactKey === null ? await storeCase(deps, lease, { attack, task: { title: task.title, criteria } }) : trial;
	return {
		task,
		criteria,
		submission: { id: trial.id, agentId: task.companyId, artifactKey, artifactSha256, missingSections, iteration: 1 },
		job: { ...trial, round: "submission" },
		isTrial: true,
		...(attack === null ? {} : { samples: 1 }),
	};
}

async function whileHoldingLease<T>(deps: Deps, lease: Lease, work: () => Promise<T>): Promise<T> {
	const stop = deps.clock.every(LEASE_RENEWAL_MS, () => {
		deps.background(store.renewTrial(deps, lease, deps.clock.now()));
	});
	try {
		return await work();
	} finally {
		stop();
	}
}

async function park(deps: Deps, lease: Lease, { lookAgainAt, progress, fault }: Extract<ModeOutcome, { kind: "waiting" }>) {
	await store.postponeTrial(deps, lease, { dueAt: lookAgainAt, progress, ...(fault === undefined ? {} : { lastError: fault }) });
	return { delayMs: Math.max(SECOND_MS, lookAgainAt - deps.clock.now()) };
}

async function handleFault(deps: Deps, attempt: Attempt, fault: EvaluationFault): Promise<NextLook> {
	const { trial, lease } = attempt;
	if (!fault.costsAttempt) return defer(deps, attempt, fault);
	const faults = trial.faults + 1;
	logFault(deps, { job: { id: trial.id, submissionId: trial.id }, fault });
	if (!fault.isRetryable || faults >= MAX_ATTEMPTS) {
		await endAsFailed(deps, attempt, { guard: statements.guardTrialLease(deps, lease), fault });
		return null;
	}
	const delayMs = retryDelayMs(faults, fault.retryAfterSeconds);
	const progress = fault.progress === undefined ? {} : { progress: fault.progress };
	await store.postponeTrial(deps, lease, { dueAt: deps.clock.now() + delayMs, lastError: fault.message, isFault: true, ...progress });
	return { delayMs };
}

/** Neither the wait nor the attempt before it counts towards the time limit or the attempts. */
async function defer(deps: Deps, { trial, lease, startedAt }: Attempt, fault: EvaluationFault): Promise<NextLook> {
	const delayMs = waitDelayMs(trial.attempts, fault.retryAfterSeconds);
	const dueAt = deps.clock.now() + delayMs;
	deps.log.info("trial_deferred", { trial_id: trial.id, delay_ms: delayMs, reason: fault.message });
	const { message: lastError, waitingFor } = fault;
	const maxWaitingMs = waitingFor === null ? MAX_WAITING_MS : null;
	await store.deferTrial(deps, lease, { dueAt, lastError, waitingFor, extendMs: dueAt - startedAt, maxWaitingMs });
	return { delayMs };
}

type Ended = Pick<Attempt, "trial" | "task">;
type Failure = Pick<Parameters<typeof recordFailure>[1], "guard" | "fault">;

/** What another consumer has written first stays. */
async function endAsFailed(deps: Deps, ended: Ended, failure: Failure): Promise<void> {
	try {
		await recordFailure(deps, { trial: ended.trial, ...failure });
	} catch (error) {
		if (!(error instanceof StaleReadError)) throw error;
	}
	stopAllRuns(deps, ended);
}

/** Stops what a grader may still run for a trial that has ended. */
function stopAllRuns(deps: Deps, { trial, task }: Ended): void {
	if (!MODES[task.evalMode].usesImage) return;
	deps.background(stopRuns(deps, { jobId: trial.id, run: Number.MAX_SAFE_INTEGER }));
}

/** Ends a trial whose messages all failed, or whose time is over, visibly. */
export async function abandonTrial(deps: Deps, trialId: string): Promise<void> {
	const trial = await store.findTrial(deps, trialId);
	if (trial === null || trial.finishedAt !== null) return;
	const found = await store.findTask(deps, trial.taskId);
	if (found === null) return;
	await endAsFailed(deps, { trial, task: found.task }, { guard: statements.guardUnfinished(deps, trialId), fault: outOfTime(trial) });
}

const SWEEP_BATCH = 100;

/** The safety net: ends what is out of time, and sends a message for each trial that has lost its own. */
export async function sweepTrials(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	for (const trialId of await store.selectOverdueTrials(deps, { now, limit: SWEEP_BATCH })) await abandonTrial(deps, trialId);
	const lost = await store.markLostTrials(deps, { now, limit: SWEEP_BATCH });
	await Promise.all(lost.map((trialId) => enqueueTrial(deps, trialId)));
}
