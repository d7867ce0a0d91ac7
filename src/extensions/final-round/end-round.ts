// The end of a final round writes its results in one transaction: evaluations, scores, ranks and events.

import { insertEvaluation, reportsInjection } from "../../core/competition/judgements/evaluations.ts";
import { sharedReport, singleReport, writeReport } from "../../core/competition/judgements/report.ts";
import { standWith } from "../../core/competition/leaderboard/entries.ts";
import { appendToLog } from "../../core/competition/public-log/log.ts";
import { getSubmissionRow, updateSubmission } from "../../core/competition/submissions/store.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import type { CandidateRow } from "../../db/task/schema/final-round.ts";
import { SAMPLE_COUNTS } from "../../domain/checks.ts";
import { CONFIRMED_TIER, FAILED_TIER } from "../../domain/final-round.ts";
import { SUBMISSION_TRANSITIONS } from "../../domain/submission-status.ts";
import type { Judgement } from "../../ports/judgement.ts";
import type { TaskStore } from "../../ports/task.ts";
import * as candidates from "./candidates.ts";
import { forgetJudgements, readJudgement } from "./kept-judgements.ts";
import { updateRound } from "./round.ts";
import { FURTHER_SAMPLES } from "./rules.ts";

/** Writes the candidates' confirmed scores, and ranks by them. By now, every candidate that did not fail has a receipt. */
export function endRound(store: TaskStore): void {
	const judgements = new Map<string, Judgement | null>();
	const task = readTask(store);
	for (const candidate of candidates.listCandidates(store)) {
		const { judgedId, state } = candidate;
		if (state === "failed") continue;
		const judgement = judgements.get(judgedId) ?? readJudgement(store, judgedId, task);
		judgements.set(judgedId, judgement);
		if (judgement !== null) confirm(store, candidate, judgement);
	}
	updateRound(store, { status: "ended" });
	const standings = candidates.listCandidates(store).map(({ agentId, submissionId, state }) => {
		return { agentId, submissionId, tier: state === "confirmed" ? CONFIRMED_TIER : FAILED_TIER };
	});
	standWith(store, standings);
	forgetJudgements(store);
	recordEnd(store);
}

/** Records that the round has ended, with the number of its candidates and of those that failed. */
export function recordEnd(task: TaskStore): void {
	const [all, failed] = [candidates.countCandidates(task), candidates.countCandidates(task, candidates.isFailed)];
	const end = { candidates: all, failed, reason: null };
	appendToLog(task, { event: "round_ended", facts: end });
	task.record({ type: "final_round.ended", taskId: task.id, ...end });
}

function confirm(
	task: TaskStore,
	{ submissionId, judgedId, state, evaluationId, receipt, signedAt }: CandidateRow,
	judgement: Judgement,
): void {
	if (evaluationId === null || receipt === null || signedAt === null) throw new Error(`Candidate ${submissionId} has no receipt.`);
	const submission = getSubmissionRow(task, submissionId);
	const iteration = submission.iteration + 1;
	const own = { ...judgement, id: evaluationId, receipt, artifactSha256: submission.artifactSha256, createdAt: signedAt };
	const evaluation = insertEvaluation(task, { submissionId, iteration, round: "final", paidMicroUsd: null, group: null }, own);
	const { texts } = judgement;
	const report = singleReport({ ...texts, breakdown: { ...texts.breakdown, evaluations: iteration } });
	writeReport(task, evaluationId, submissionId === judgedId ? report : sharedReport(report));
	const { finalScore, testScore, llmScore, containerScore, spread, comparisonGroup } = evaluation;
	updateSubmission(task, submissionId, {
		status: SUBMISSION_TRANSITIONS.score.to,
		evaluated: true,
		...{ finalScore, testScore, llmScore, containerScore, spread, comparisonGroup, iteration },
		judgeScore: finalScore,
		samples: samplesOf(state),
		evaluatedAt: evaluation.createdAt,
		shownEvaluationId: evaluationId,
		injectionReportedAt: submission.injectionReportedAt ?? (reportsInjection(judgement) ? evaluation.createdAt : null),
		isByPerson: false,
		errorMessage: null,
		ownerErrorMessage: null,
		failure: null,
		supplierWords: null,
	});
	candidates.moveCandidates(task, judgedId, { from: state, to: "confirmed" });
	task.record({ type: "evaluation.completed", taskId: task.id, submissionId, agentId: submission.agentId, evaluationId, round: "final" });
}

function samplesOf(state: CandidateRow["state"]): number {
	return SAMPLE_COUNTS.replacing + (state === "sampled" ? FURTHER_SAMPLES : 0);
}
