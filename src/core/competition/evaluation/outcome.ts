// Ends the evaluation of a submission, with a result from a consumer or a score from an external judge.

import { eq } from "drizzle-orm";
import { usualSamples } from "../../../db/task/noise.ts";
import { evaluations, type RestoredState, type SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { SAMPLE_COUNTS } from "../../../domain/checks.ts";
import type { FaultRecord } from "../../../domain/evaluation-fault.ts";
import { type EvaluationRound, ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { sumUsage, type Usage } from "../../../domain/spend.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import type { Findings, Judgement } from "../../../ports/judgement.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { type EvaluationColumns, insertEvaluation, reportsInjection, selectEvaluations, withoutTexts } from "../judgements/evaluations.ts";
import { mergeReport, writeReport } from "../judgements/report.ts";
import { refreshEntry } from "../leaderboard/entries.ts";
import { isRevealed } from "../leaderboard/rules.ts";
import { logReEvaluation } from "../public-log/log.ts";
import { readShare } from "../spend/task-scope.ts";
import { messageOfEvent } from "../submissions/rules.ts";
import { getSubmissionRow, giveSlotBack, updateSubmission } from "../submissions/store.ts";
import { readTask, warnOwner, withdrawWarning } from "../tasks/store.ts";
import { recordInspections } from "./inspections.ts";
import { countedEvaluations, imageWarning, mergeScores } from "./rules.ts";

export interface EvaluationEnd {
	readonly submissionId: string;
	/** Evaluations are numbered from 1. */
	readonly iteration: number;
	readonly round: EvaluationRound;
	/** The model calls of the last attempt. */
	readonly used?: readonly Usage[];
	/** True if the submitting agent's payer pays for the evaluation. */
	readonly isPaidByAgent?: boolean;
	/** Why an operator requested the evaluation. Null for other evaluations. */
	readonly operatorReason?: string | null;
}

/** Stores an evaluation, and updates the submission's scores and the leaderboard entry. */
export function recordScore(task: TaskStore, ending: EvaluationEnd, result: Judgement): void {
	const { submissionId, round, iteration } = ending;
	const submission = getSubmissionRow(task, submissionId);
	const { isByPerson } = ROUNDS[round];
	const judgement = isByPerson ? result : withoutErasedTexts(submission, result);
	const earlier = selectEvaluations(task, submissionId);
	const paidMicroUsd = paidByAgent(task, ending);
	// A person's score stays in the comparison group of the score that it changes, because a person's judgement is not a new configuration of
	// the judge.
	const group = isByPerson ? submission.comparisonGroup : null;
	const evaluation = insertEvaluation(task, { submissionId, iteration, round, paidMicroUsd, group }, judgement);
	const all = [...earlier, evaluation];
	const counted = countedEvaluations<EvaluationColumns>(all);
	writeReport(task, judgement.id, mergeReport(judgement.texts, { counted, evaluations: all.length }));
	if (judgement.imageDigest !== null && !isByPerson) withdrawWarning(task, "IMAGE_ERROR");
	const ids = { taskId: task.id, submissionId, agentId: submission.agentId };
	task.record({ type: "evaluation.completed", ...ids, evaluationId: judgement.id, round });
	const scores = mergeScores(counted);
	updateSubmission(task, submissionId, {
		...scores,
		judgeScore: judgeScoreOf(all) ?? scores.finalScore,
		spread: evaluation.spread,
		samples: samplesOf(task, submission, round),
		comparisonGroup: counted[0]?.comparisonGroup ?? evaluation.comparisonGroup,
		isByPerson,
		injectionReportedAt: submission.injectionReportedAt ?? (reportsInjection(judgement) ? task.now : null),
		status: SUBMISSION_TRANSITIONS.score.to,
		evaluated: true,
		evaluatedAt: evaluation.createdAt,
		errorMessage: null,
		ownerErrorMessage: null,
		failure: null,
		supplierWords: null,
		iteration,
		restored: null,
		shownEvaluationId: judgement.id,
	});
	refreshEntry(task, submission.agentId);
	logLateChange(task, submission, { ...ending, to: scores.finalScore ?? judgement.finalScore });
	if (!isByPerson) task.record({ type: "submission.completed", ...ids, finalScore: scores.finalScore });
}

/** Returns what the score would be without the evaluations by people. Returns null if only people have evaluated the submission. */
function judgeScoreOf(all: readonly EvaluationColumns[]): number | null {
	const byJudges = all.filter(({ round }) => !ROUNDS[round].isByPerson);
	return byJudges.length === 0 ? null : mergeScores(countedEvaluations<EvaluationColumns>(byJudges)).finalScore;
}

/** Logs a re-evaluation that an operator requested after the reveal. Extensions log evaluations that replace scores. */
function logLateChange(
	task: TaskStore,
	submission: SubmissionRow,
	{ round, operatorReason: reason = null, to }: EvaluationEnd & { readonly to: number },
): void {
	if (reason === null || ROUNDS[round].replaces || !isRevealed(readTask(task), task.now)) return;
	logReEvaluation(task, submission, { from: submission.finalScore, to, reason });
}

/** If the files were erased while they were judged, removes the texts from the judgement, because these can quote the files. */
export function withoutErasedTexts(submission: SubmissionRow, judgement: Judgement): Judgement {
	return isErased(submission) ? withoutTexts(judgement) : judgement;
}

/** Returns true if the submission's agent or files have been erased, which can happen while the submission is being judged. */
function isErased({ artifactKey, artifactSha256 }: SubmissionRow): boolean {
	return artifactKey === null && artifactSha256 !== null;
}

function paidByAgent(task: TaskStore, { used = [], isPaidByAgent = false }: EvaluationEnd): number | null {
	return isPaidByAgent ? Math.round((sumUsage(used).costMicroUsd ?? 0) * readShare(task)) : null;
}

/** Returns the number of samples behind the score, which predicts its noise. A score set by a person keeps the judge's number. */
function samplesOf(task: TaskStore, submission: SubmissionRow, round: EvaluationRound): number | null {
	const { isByPerson, replaces } = ROUNDS[round];
	if (isByPerson) return submission.samples;
	return replaces ? SAMPLE_COUNTS.replacing : usualSamples(readTask(task));
}

/**
 * Ends an evaluation without a score. If the submission cannot have caused the fault and has never been evaluated, the agent gets the slot
 * back, once. A failed re-evaluation leaves the submission as it was before.
 */
export function recordFailure(task: TaskStore, { submissionId }: Pick<EvaluationEnd, "submissionId">, fault: FaultRecord): void {
	const submission = getSubmissionRow(task, submissionId);
	const ids = { taskId: task.id, submissionId, agentId: submission.agentId };
	warnOfImage(task, fault);
	if (submission.restored !== null) {
		withdraw(task, submission, submission.restored);
		return;
	}
	const isSlotReturned = fault.blame !== "submission" && !submission.slotReturned && !hasEvaluation(task, submissionId);
	const message = isErased(submission) ? messageOfEvent({ sealed: true }, fault.failure, fault.message) : fault.message;
	const errorMessage = isSlotReturned ? `${message} Your submission slot was given back.` : message;
	updateSubmission(task, submissionId, {
		status: SUBMISSION_TRANSITIONS.giveUp.to,
		evaluated: false,
		errorMessage,
		ownerErrorMessage: isErased(submission) ? null : fault.ownerMessage,
		failure: fault.failure,
		supplierWords: isErased(submission) ? null : fault.supplierWords,
	});
	if (isSlotReturned) giveSlotBack(task, submission);
	const told = messageOfEvent(readTask(task), fault.failure ?? "submission", errorMessage);
	task.record({ type: "submission.failed", ...ids, errorMessage: told });
	task.record({ type: "submission.completed", ...ids, finalScore: null });
}

/** Warns the task's owner if the image cannot be started. */
export function warnOfImage(task: TaskStore, fault: FaultRecord): void {
	if (fault.blame === "task") warnOwner(task, { code: "IMAGE_ERROR", message: imageWarning(fault) });
}

/** Restores the state that a submission had before a re-evaluation that ended without a score. */
function withdraw(task: TaskStore, { id, agentId, finalScore }: SubmissionRow, restored: RestoredState): void {
	updateSubmission(task, id, { ...restored, restored: null });
	refreshEntry(task, agentId);
	task.record({ type: "submission.completed", taskId: task.id, submissionId: id, agentId, finalScore });
}

function hasEvaluation({ db }: TaskStore, submissionId: string): boolean {
	const evaluation = db.select({ id: evaluations.id }).from(evaluations).where(eq(evaluations.submissionId, submissionId)).limit(1).get();
	return evaluation !== undefined;
}

/** Stores what a consumer found out about a submission's artifact. */
export function recordFindings(task: TaskStore, submission: Pick<SubmissionRow, "id">, findings: Findings): void {
	const { artifactSha256, inspected } = findings;
	if (artifactSha256 !== undefined) updateSubmission(task, submission.id, { artifactSha256 });
	// The files may have been erased in the meantime.
	if (inspected !== undefined && getSubmissionRow(task, submission.id).artifactKey !== null)
		recordInspections(task, submission.id, inspected);
}
