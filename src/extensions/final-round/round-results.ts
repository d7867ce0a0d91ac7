// Handles the end of a candidate's evaluation. Scores and ranks change only when the round ends.

import { standWith } from "../../core/competition/leaderboard/entries.ts";
import { getSubmissionRow } from "../../core/competition/submissions/store.ts";
import { SAMPLE_COUNTS } from "../../domain/checks.ts";
import { judgeFingerprint } from "../../domain/evaluation-rounds.ts";
import { CONFIRMED_TIER } from "../../domain/final-round.ts";
import type { Judgement } from "../../ports/judgement.ts";
import type { Decision, TaskStore } from "../../ports/task.ts";
import { dropFurther } from "./advance-round.ts";
import * as candidates from "./candidates.ts";
import { recordEnd } from "./end-round.ts";
import { keepJudgement, readFirst } from "./kept-judgements.ts";
import { findRound, updateRound } from "./round.ts";
import { FURTHER_SAMPLES, MAX_ROUND_MS } from "./rules.ts";

/** Returns whether a candidate's score is still open, which it is until the round ends. Returns null for other submissions. */
export function findDecision(task: TaskStore, submissionId: string): Decision | null {
	if (candidates.findCandidate(task, submissionId) === null) return null;
	return { isOpen: findRound(task)?.status !== "ended", round: "final" };
}

/** Returns how many samples of each criterion a candidate's job takes, and whether its image has already run. */
export function planSamples(task: TaskStore, submissionId: string): { readonly samples: number; readonly isFurther: boolean } {
	const isFurther = candidates.findCandidate(task, submissionId)?.state === "sampling";
	return { samples: isFurther ? FURTHER_SAMPLES : SAMPLE_COUNTS.replacing, isFurther };
}

/** Starts the 72 hours of the round when a consumer claims its first evaluation. */
export function noteFirstCall(task: TaskStore): void {
	const round = findRound(task);
	if (round?.status === "judging" && round.endsAt === null) updateRound(task, { endsAt: task.now + MAX_ROUND_MS });
}

/** Extends the round, because an operator's pause does not count towards its 72 hours. */
export function extendRound(task: TaskStore, pausedMs: number): void {
	const round = findRound(task);
	if (round?.status === "judging" && round.endsAt !== null) updateRound(task, { endsAt: round.endsAt + pausedMs });
}

/** Keeps the judgement of a candidate until the order is decided. */
export function keepScore(task: TaskStore, submissionId: string, judgement: Judgement): void {
	if (candidates.findCandidate(task, submissionId)?.state !== "sampling") {
		keepJudgement(task, { submissionId, isFurther: false }, judgement);
		candidates.moveCandidates(task, submissionId, { from: "judging", to: "judged" });
		return;
	}
	// Samples from two judges cannot be combined. The judge of the first samples can give no more, because the configuration has changed.
	const first = readFirst(task, submissionId);
	if (first === null || judgeFingerprint(first) !== judgeFingerprint(judgement)) {
		dropFurther(task);
		return;
	}
	keepJudgement(task, { submissionId, isFurther: true }, judgement);
	candidates.moveCandidates(task, submissionId, { from: "sampling", to: "sampled" });
}

/**
 * Records that a candidate could not be judged. The candidate fails for any cause, because a job that keeps restarting could prevent the
 * round from ending. If only its extra samples are missing, those of all candidates are dropped instead.
 */
export function failCandidate(task: TaskStore, submissionId: string): void {
	const state = candidates.findCandidate(task, submissionId)?.state;
	if (state === "sampling") dropFurther(task);
	else candidates.moveCandidates(task, submissionId, { from: "judging", to: "failed" });
}

/**
 * Called when an operator has had a candidate judged again after the round. Ranks the candidate among the confirmed ones, and records
 * the end of the round once more.
 */
export function confirmAgain(task: TaskStore, submissionId: string): void {
	if (!candidates.confirmCandidate(task, submissionId)) return;
	recordEnd(task);
	standWith(task, [{ agentId: getSubmissionRow(task, submissionId).agentId, submissionId, tier: CONFIRMED_TIER }]);
}
