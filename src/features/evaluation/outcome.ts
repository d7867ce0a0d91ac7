// Writes how an evaluation ended. Results of consumers and scores posted from outside both come through here.

import { commit } from "../../db/commit.ts";
import type { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { finalScore } from "../../domain/scores.ts";
import { finalScoreSpread, medianSpread } from "../../domain/spread.ts";
import { SUBMISSION_TRANSITIONS } from "../../domain/submission-status.ts";
import { recordEvents } from "../../events/outbox.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { issueReceipt } from "../judging/receipts.ts";
import * as rules from "../judging/rules.ts";
import { listReceiptKey } from "../judging/statements.ts";
import type { EvaluationResult } from "../judging/work.ts";
import { refreshLeaderboardEntry } from "../leaderboard/service.ts";
import { returnOperatorUnit } from "../operators/service.ts";
import { recordJudge, warnOwner, withdrawWarning } from "../tasks/service.ts";
import { mergeReport, mergeScores } from "./medians.ts";
import { reportKeyOf, writeReport } from "./report.ts";
import * as statements from "./statements.ts";
import type * as store from "./store.ts";

interface Ending {
	readonly work: store.Work;
	/** Null without a job: the score was posted before the evaluation was requested. */
	readonly jobId: string | null;
	/** What must still be true when this is written. */
	readonly guard: Statement;
}

export interface Scored extends Ending {
	readonly iteration: number;
	readonly result: EvaluationResult;
}

/**
 * Writes an evaluation, the submission's medians, the leaderboard entry and the events as one change. In a final round it writes
 * only the evaluation, because the provisional order must not change before the round ends.
 *
 * @throws StaleReadError when the guard does not hold, or the iteration has been written already.
 */
export async function recordScore(deps: Deps, { work, jobId, guard, iteration, result }: Scored) {
	const { submission, task, earlier } = work;
	const evaluation = newEvaluation(deps, { iteration, work, jobId, result });
	const { id: evaluationId, round, reportKey } = evaluation;
	const counted = rules.countedEvaluations<CountedEvaluation>(earlier, evaluation);
	const { receipt, key } = await issueReceipt(deps, evaluation, work);
	const report = mergeReport(result, { counted, evaluations: earlier.length + 1 });
	await writeReport(deps, { submissionId: submission.id, evaluationId, report });
	const ids = { taskId: task.id, submissionId: submission.id, agentId: submission.agentId };
	const written = [
		guard,
		recordJudge(deps, task.id, evaluation),
		listReceiptKey(deps, key),
		statements.insertEvaluation(deps, task.id, { ...evaluation, receipt }),
		...(jobId === null ? [] : [statements.finishJob(deps, jobId, { outcome: "scored", lastError: null })]),
		...(result.imageDigest === null ? [] : [withdrawWarning(deps, task.id, "IMAGE_ERROR")]),
	];
	const completed = { type: "evaluation.completed", ...ids, evaluationId, round } as const;
	if (round === "final") {
		// The submission and the leaderboard change for all candidates at once, when the round ends.
		await commit(deps.db, [...written, recordEvents(deps, [completed])]);
		return { evaluationId, finalScore: evaluation.finalScore };
	}
	const scores = mergeScores(counted);
	const change = {
		...scores,
		spread: medianSpread(counted),
		comparableWith: counted.at(-1)?.id ?? evaluationId,
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
		...written,
		statements.updateOutcome(deps, submission.id, change),
		refreshLeaderboardEntry(deps, ids),
		recordEvents(deps, [completed, { type: "submission.completed", ...ids, finalScore: scores.finalScore }]),
	]);
	return { evaluationId, finalScore: scores.finalScore };
}

type CountedEvaluation = ReturnType<typeof newEvaluation> | store.Work["earlier"][number];

function newEvaluation(deps: Deps, { iteration, work, jobId, result }: Omit<Scored, "guard">) {
	const { submission, task } = work;
	const id = deps.ids.next();
	const weights = Object.fromEntries(work.criteria.map(({ name, weight }) => [name, weight]));
	return {
		id,
		submissionId: submission.id,
		iteration,
		jobId,
		round: work.activeJob?.round ?? (iteration === 1 ? ("submission" as const) : ("re_evaluation" as const)),
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
		dimensions: result.dimensions.map(({ criterion, weight, score }) => ({ criterion, weight, score })),
		samples: result.samples,
		spread: finalScoreSpread({ samples: result.samples, weights, share: task.llmWeight }),
		reportKey: reportKeyOf({ submissionId: submission.id, evaluationId: id }),
		createdAt: deps.clock.now(),
	};
}

export interface Failed extends Ending {
	readonly fault: EvaluationFault;
}

/**
 * Ends an evaluation without a score. A fault that the submission cannot have caused returns the slot to the agent, once.
 * The owner gets a warning about an image that cannot be started. Contract: ruling "Blame".
 *
 * @throws StaleReadError when the guard does not hold.
 */
export async function recordFailure(deps: Deps, { work, jobId, guard, fault }: Failed): Promise<void> {
	const { submission, task } = work;
	if (work.activeJob?.round === "final") return recordFailedCandidate(deps, { work, jobId, guard, fault });
	const isSlotReturned = fault.blame !== "submission" && !submission.slotReturned && work.earlier.length === 0;
	const ids = { taskId: task.id, submissionId: submission.id, agentId: submission.agentId };
	const errorMessage = isSlotReturned ? `${fault.message} Your submission slot was given back.` : fault.message;
	await commit(deps.db, [
		guard,
		...(isSlotReturned ? [statements.guardSlotTaken(deps, submission.id)] : []),
		statements.updateOutcome(deps, submission.id, {
			status: SUBMISSION_TRANSITIONS.giveUp.to,
			evaluated: false,
			errorMessage,
			ownerErrorMessage: fault.ownerMessage,
			failure: fault.failure,
			// What an outside judge reports, only its poster can know.
			isOwnFailure: fault.blame === "submission" && fault.failure !== "outside_judge",
			...(isSlotReturned ? { slotReturned: true } : {}),
		}),
		...(jobId === null ? [] : [statements.finishJob(deps, jobId, { outcome: "failed", lastError: fault.message })]),
		...(isSlotReturned ? giveSlotBack(deps, { ...ids, takenAt: submission.createdAt }) : []),
		...(fault.blame === "task" ? warnOwner(deps, task.id, { code: "IMAGE_ERROR", message: rules.imageWarning(fault) }) : []),
		recordEvents(deps, [
			{ type: "submission.failed", ...ids, errorMessage },
			{ type: "submission.completed", ...ids, finalScore: null },
		]),
	]);
}

interface TakenSlot {
	readonly taskId: string;
	readonly agentId: string;
	/** When the submission was created, in milliseconds since the epoch. */
	readonly takenAt: number;
}

/** The statements that return the slot of a submission to its agent, with the unit of its operator's month. */
export function giveSlotBack(deps: Deps, slot: TakenSlot): Statement[] {
	return [statements.returnSlot(deps, slot), ...returnOperatorUnit(deps, slot)];
}

/**
 * The submission keeps its provisional score, and nothing is given back: it was evaluated before. If its files are at fault, it ranks
 * below the candidates that were judged.
 */
async function recordFailedCandidate(deps: Deps, { work, jobId, guard, fault }: Failed): Promise<void> {
	const { submission, task } = work;
	const ids = { taskId: task.id, submissionId: submission.id, agentId: submission.agentId };
	await commit(deps.db, [
		guard,
		...(jobId === null ? [] : [statements.finishJob(deps, jobId, { outcome: "failed", lastError: fault.message })]),
		...(fault.blame === "submission" ? [statements.forfeitCandidate(deps, ids)] : []),
		...(fault.blame === "task" ? warnOwner(deps, task.id, { code: "IMAGE_ERROR", message: rules.imageWarning(fault) }) : []),
		recordEvents(deps, [{ type: "final_round.candidate_failed", ...ids }]),
	]);
}
