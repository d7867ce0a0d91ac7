// Writing how an evaluation ended: the one door for the consumer's results and for scores that are posted from outside.

import { commit } from "../../db/commit.ts";
import type { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { finalScore, median, medianOfKnown } from "../../domain/scores.ts";
import { SUBMISSION_TRANSITIONS } from "../../domain/submission-status.ts";
import { recordEvents } from "../../events/outbox.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { refreshLeaderboardEntry } from "../leaderboard/service.ts";
import { returnOperatorUnit } from "../operators/service.ts";
import { warnOwner, withdrawWarning } from "../tasks/service.ts";
import { issueReceipt } from "./receipts.ts";
import { type EvaluationReport, writeReport } from "./report.ts";
import * as statements from "./statements.ts";
import type * as store from "./store.ts";
import type { EvaluationResult } from "./work.ts";

interface Ending {
	readonly work: store.Work;
	/** Null without a job, as for a score that was posted before its evaluation was asked for. */
	readonly jobId: string | null;
	/** What must still be true when this is written. */
	readonly guard: Statement;
}

export interface Scored extends Ending {
	readonly iteration: number;
	readonly result: EvaluationResult;
}

/**
 * Writes an evaluation, the submission's medians, the leaderboard entry and the events as one change.
 *
 * @throws StaleReadError when the guard does not hold, or the iteration has been written already.
 */
export async function recordScore(deps: Deps, { work, jobId, guard, iteration, result }: Scored) {
	const { submission, task, earlier } = work;
	const evaluationId = deps.ids.next();
	const reportKey = await writeReport(deps, { submissionId: submission.id, evaluationId, report: mergeReport(result, earlier) });
	const evaluation = newEvaluation(deps, { evaluationId, reportKey, iteration, work, result });
	const { receipt, key } = await issueReceipt(deps, evaluation, work);
	const scores = mergeScores([...earlier.filter((row) => row.rubricVersion === task.rubricVersion), evaluation]);
	const ids = { taskId: task.id, submissionId: submission.id, agentId: submission.agentId };
	const change = {
		...scores,
		status: SUBMISSION_TRANSITIONS.score.to,
		evaluated: true,
		evaluatedAt: evaluation.createdAt,
		errorMessage: null,
		ownerErrorMessage: null,
		failure: null,
		iteration,
		reportKey,
	} as const;
	await commit(deps.db, [
		guard,
		statements.listReceiptKey(deps, key),
		statements.insertEvaluation(deps, { ...evaluation, receipt }),
		statements.updateOutcome(deps, submission.id, change),
		...(jobId === null ? [] : [statements.finishJob(deps, jobId, { outcome: "scored", lastError: null })]),
		refreshLeaderboardEntry(deps, ids),
		...(result.imageDigest === null ? [] : [withdrawWarning(deps, task.id, "IMAGE_ERROR")]),
		recordEvents(deps, [
			{ type: "evaluation.completed", ...ids, evaluationId },
			{ type: "submission.completed", ...ids, finalScore: scores.finalScore },
		]),
	]);
	return { evaluationId, finalScore: scores.finalScore };
}

interface NewEvaluation {
	readonly evaluationId: string;
	readonly reportKey: string;
	readonly iteration: number;
	readonly work: store.Work;
	readonly result: EvaluationResult;
}

function newEvaluation(deps: Deps, { evaluationId, reportKey, iteration, work, result }: NewEvaluation) {
	const { submission, task } = work;
	return {
		id: evaluationId,
		submissionId: submission.id,
		iteration,
		round: work.activeJob?.round ?? (iteration === 1 ? "submission" : "re_evaluation"),
		evalMode: task.evalMode,
		rubricVersion: task.rubricVersion,
		artifactSha256: submission.artifactSha256,
		judge: result.judge,
		models: [...result.models],
		promptVersion: result.promptVersion,
		imageDigest: result.imageDigest,
		finalScore: result.finalScore ?? finalScore({ ...result, testWeight: task.testWeight, llmWeight: task.llmWeight }),
		testScore: result.testScore,
		llmScore: result.llmScore,
		containerScore: result.containerScore,
		dimensions: result.dimensions.map(({ criterion, score }) => ({ criterion, score })),
		samples: result.samples,
		reportKey,
		createdAt: deps.clock.now(),
	};
}

type Scores = Pick<store.EvaluationRow, "finalScore" | "testScore" | "llmScore" | "containerScore">;

/** Each score is the median of its kind, so that asking again cannot be farmed. */
function mergeScores(all: readonly Scores[]) {
	return {
		finalScore: median(all.map((row) => row.finalScore)),
		testScore: medianOfKnown(all.map((row) => row.testScore)),
		llmScore: medianOfKnown(all.map((row) => row.llmScore)),
		containerScore: medianOfKnown(all.map((row) => row.containerScore)),
	};
}

/** The newest reasoning with the median score of each criterion. */
function mergeReport(result: EvaluationResult, earlier: store.Work["earlier"]): EvaluationReport {
	const dimensions = result.dimensions.map(({ criterion, weight, score, reasoning }) => {
		const known = earlier.flatMap((row) =>
			row.dimensions.filter((dimension) => dimension.criterion === criterion).map((dimension) => dimension.score),
		);
		return { criterion_name: criterion, weight, reasoning, score: median([...known, score]) ?? score };
	});
	const breakdown = { ...result.breakdown, evaluations: earlier.length + 1 };
	return { reasoning: result.reasoning, dimensions, breakdown, ownerBreakdown: result.ownerBreakdown };
}

export interface Failed extends Ending {
	readonly fault: EvaluationFault;
}

/**
 * Ends an evaluation without a score. A fault that the submission cannot have caused gives the agent its slot back, once.
 * An image that cannot be started is told to its owner. Contract: ruling "Blame".
 *
 * @throws StaleReadError when the guard does not hold.
 */
export async function recordFailure(deps: Deps, { work, jobId, guard, fault }: Failed): Promise<void> {
	const { submission, task } = work;
	const isSlotReturned = fault.blame !== "submission" && !submission.slotReturned && work.earlier.length === 0;
	const slotReturned = submission.slotReturned || isSlotReturned;
	const ids = { taskId: task.id, submissionId: submission.id, agentId: submission.agentId };
	const errorMessage = isSlotReturned ? `${fault.message} Your submission slot was given back.` : fault.message;
	await commit(deps.db, [
		guard,
		statements.updateOutcome(deps, submission.id, {
			status: SUBMISSION_TRANSITIONS.giveUp.to,
			evaluated: false,
			errorMessage,
			ownerErrorMessage: fault.ownerMessage,
			failure: fault.failure,
			slotReturned,
		}),
		...(jobId === null ? [] : [statements.finishJob(deps, jobId, { outcome: "failed", lastError: fault.message })]),
		...(isSlotReturned ? [statements.returnSlot(deps, ids), ...returnOperatorUnit(deps, { ...ids, takenAt: submission.createdAt })] : []),
		...(fault.blame === "task" ? warnOwner(deps, task.id, { code: "IMAGE_ERROR", message: imageWarning(fault) }) : []),
		recordEvents(deps, [
			{ type: "submission.failed", ...ids, errorMessage },
			{ type: "submission.completed", ...ids, finalScore: null },
		]),
	]);
}

function imageWarning({ message, ownerMessage }: EvaluationFault): string {
	return `Submissions are not judged and get their slots back, because the task's image could not be started. ${ownerMessage ?? message}`;
}
