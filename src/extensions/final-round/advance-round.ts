// The steps of a final round: the round begins, its cost is reserved, its candidates are judged, their receipts are signed, and the round
// ends.

import { and, eq, isNull } from "drizzle-orm";
import { enqueueJob } from "../../core/competition/judgements/jobs.ts";
import { settleTask } from "../../core/competition/lifecycle/settle.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import type { RoundRow } from "../../db/task/schema/final-round.ts";
import { finalCandidates } from "../../db/task/schema/final-round.ts";
import { isNotCompleted, submissions } from "../../db/task/schema/submissions.ts";
import { MODES } from "../../domain/modes.ts";
import { UPLOAD_GRACE_MS } from "../../domain/task-status.ts";
import type { TaskDuty, TaskStore } from "../../ports/task.ts";
import { cancelRound } from "./cancel-round.ts";
import * as candidates from "./candidates.ts";
import { chooseCandidates } from "./choose-candidates.ts";
import { endRound } from "./end-round.ts";
import { forgetFurther, readJudgement } from "./kept-judgements.ts";
import { findNearTies } from "./near-ties.ts";
import { hasRoomForFurther } from "./reserve-round.ts";
import { findRound, updateRound } from "./round.ts";
import * as rules from "./rules.ts";

/** Takes the steps that the final round can take now. */
export function advanceRound(task: TaskStore): void {
	if (canBegin(task, findRound(task))) beginRound(task);
	if (isTooLate(task, findRound(task))) breakOff(task);
	if (findRound(task)?.status === "judging") continueJudging(task);
	if (canEnd(task, findRound(task))) endRound(task);
}

/**
 * Advances the round when the time for uploads is over, and when the round has lasted too long. No request does this, so the task's alarm
 * must.
 */
export const advanceWhenDue: TaskDuty = {
	name: "final_round",
	dueAt: (task) => roundDueAt(task, findRound(task)),
	run: (task) => settleTask(task),
};

/** Returns when the round must advance, in milliseconds since the epoch, or null for never. */
function roundDueAt(task: TaskStore, round: RoundRow | null): number | null {
	if (round === null) return null;
	if (canBegin(task, round) || canEnd(task, round)) return task.now;
	const { judgingPaused, deadline } = readTask(task);
	if (round.status === "judging") return judgingPaused ? null : round.endsAt;
	const isWaitingForUploads = round.status === "waiting" && !isBeingJudged(task);
	return isWaitingForUploads ? deadline + UPLOAD_GRACE_MS : null;
}

function canBegin(task: TaskStore, round: RoundRow | null): boolean {
	if (round?.status !== "waiting") return false;
	return rules.canBegin({ ...readTask(task), hasRunning: isBeingJudged(task), hasRegistered: hasSubmission(task, "registered") }, task.now);
}

/** Returns true while a submission is being judged, or waits to be judged. */
function isBeingJudged(task: TaskStore): boolean {
	return hasSubmission(task, "running");
}

function hasSubmission({ db }: TaskStore, status: "running" | "registered"): boolean {
	const isOpen = and(eq(submissions.status, status), isNotCompleted);
	return db.select({ id: submissions.id }).from(submissions).where(isOpen).limit(1).get() !== undefined;
}

const ESTIMATE_LIMIT_MS = rules.MAX_ROUND_MS / 3;
/** Signing depends only on the platform, so it is retried until it succeeds. */
const SIGN_LIMIT_MS = 1000 * rules.MAX_ROUND_MS;

/** Chooses the candidates, once all provisional scores are known, and has a consumer estimate what their samples will cost. */
function beginRound(task: TaskStore): void {
	const chosen = chooseCandidates(task);
	if (chosen.length === 0) {
		cancelRound(task, rules.NO_ROUND.empty);
		return;
	}
	for (const row of chosen) task.db.insert(finalCandidates).values(row).run();
	updateRound(task, { status: "reserving" });
	queueStep(task, ESTIMATE_LIMIT_MS);
}

/** Queues the round's next step for a consumer: to estimate the cost, or later to sign the receipts. */
function queueStep(task: TaskStore, limitMs: number): void {
	enqueueJob(task, { kind: "final_round", subjectId: task.id, party: readTask(task).companyParty, giveUpAt: task.now + limitMs });
}

function isTooLate(task: TaskStore, round: RoundRow | null): boolean {
	if (round?.status !== "judging" || round.endsAt === null) return false;
	return task.now >= round.endsAt && !readTask(task).judgingPaused;
}

/**
 * Ends a round that has lasted too long. If a candidate still lacks its samples, the round is cancelled, because a delay this long
 * comes from a queue or a ceiling, not from the candidate. Otherwise only the extra samples are dropped.
 */
function breakOff(task: TaskStore): void {
	if (candidates.hasState(task, "judging")) cancelRound(task, rules.NO_ROUND.tooLong);
	else dropFurther(task);
}

/** Once all candidates are judged, queues extra samples of close candidates. Begins to sign once none need extra samples any more. */
function continueJudging(task: TaskStore): void {
	if (candidates.hasState(task, "judging") || candidates.hasState(task, "sampling")) return;
	if (!candidates.hasState(task, "sampled") && sampleNearTies(task)) return;
	beginSigning(task);
}

/** Queues more samples for all candidates near the first places. Returns false if none need them, or if the ceiling has no room. */
function sampleNearTies(store: TaskStore): boolean {
	const task = readTask(store);
	if (!MODES[task.evalMode].usesJudge) return false;
	const judged = candidates.listStanding(store, "judged").map((candidate) => {
		return { ...candidate, finalScore: readJudgement(store, candidate.submissionId, task)?.finalScore ?? 0 };
	});
	const near = findNearTies(judged);
	if (near.length === 0 || !hasRoomForFurther(store, near)) return false;
	for (const { submissionId, estimate } of near) {
		candidates.moveCandidates(store, submissionId, { from: "judged", to: "sampling" });
		candidates.reserveForCandidate(store, submissionId, rules.estimateFurther(estimate ?? 0));
	}
	candidates.judgeCandidates(store, "sampling");
	return true;
}

/** Drops the extra samples, because they count only if every candidate near the first places has them. Then begins to sign. */
export function dropFurther(task: TaskStore): void {
	candidates.endJobsOf(task, ["sampling"]);
	for (const from of ["sampling", "sampled"] as const) {
		for (const { submissionId } of candidates.listJudged(task, from)) candidates.moveCandidates(task, submissionId, { from, to: "judged" });
	}
	forgetFurther(task);
	beginSigning(task);
}

function beginSigning(task: TaskStore): void {
	updateRound(task, { status: "signing" });
	if (candidates.countCandidates(task, candidates.isNotFailed) > 0) queueStep(task, SIGN_LIMIT_MS);
}

function canEnd(task: TaskStore, round: RoundRow | null): boolean {
	if (round?.status !== "signing") return false;
	return candidates.countCandidates(task, and(candidates.isNotFailed, isNull(finalCandidates.receipt))) === 0;
}
