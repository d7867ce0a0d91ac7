// Ends the evaluation of a submission. Results of consumers and scores posted from outside both come through here.
import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import { evaluations, type SubmissionRow, signatures } from "../../../db/task/schema/submissions.ts";
import type { FaultRecord } from "../../../domain/evaluation-fault.ts";
import type { EvaluationRound } from "../../../domain/evaluation-rounds.ts";
import { sumUsage } from "../../../domain/spend.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import type { TaskStore } from "../../../ports/task.ts";
import type { ModelUsage } from "../../judging/usage-meter.ts";
import { endStep, findStep } from "../final-round/break-ties.ts";
import { confirmCandidate, failCandidate } from "../final-round/judge-candidates.ts";
import { ensureComparisonGroup, type Findings, type Judgement } from "../judgements/judgement.ts";
import { writeReport } from "../judgements/report.ts";
import { refreshEntry } from "../leaderboard/entries.ts";
import { readShare } from "../spend/task-scope.ts";
import { messageOfEvent } from "../submissions/rules.ts";
import { getSubmissionRow, giveSlotBack, updateSubmission } from "../submissions/store.ts";
import { readTask, warnOwner, withdrawWarning } from "../tasks/store.ts";
import { countedEvaluations, groupOfScore, imageWarning, mergeReport, mergeScores } from "./rules.ts";

export interface EvaluationEnd {
	readonly submissionId: string;
	/** Evaluations are numbered from 1. */
	readonly iteration: number;
	readonly round: EvaluationRound;
	/** The calls to models of the last attempt used this. */
	readonly used?: readonly ModelUsage[];
	/** The payer of the submitting agent has paid for it. */
	readonly isPaidByAgent?: boolean;
}

/**
 * Writes an evaluation, the submission's medians, the leaderboard entry and the events. In a final round it writes only the
 * evaluation, because the provisional order must not change before the round ends.
 */
export function recordScore(task: TaskStore, ending: EvaluationEnd, judgement: Judgement): { finalScore: number } {
	const { submissionId, round } = ending;
	const submission = getSubmissionRow(task, submissionId);
	const earlier = selectEarlier(task, submissionId);
	const evaluation = insertEvaluation(task, ending, judgement);
	const counted = countedEvaluations<EvaluationColumns>(earlier, evaluation);
	writeReport(task, judgement.id, mergeReport(judgement.texts, { counted, evaluations: earlier.length + 1 }));
	if (judgement.imageDigest !== null && round !== "review") withdrawWarning(task, "IMAGE_ERROR");
	const ids = { taskId: task.id, submissionId, agentId: submission.agentId };
	const isTieStep = round === "final" && findStep(task, submissionId) !== null;
	if (!isTieStep) task.record({ type: "evaluation.completed", ...ids, evaluationId: judgement.id, round });
	const injectionReported = submission.injectionReported || reportsInjection(judgement);
	if (round === "final") {
		if (injectionReported !== submission.injectionReported) updateSubmission(task, submissionId, { injectionReported });
		if (isTieStep) endStep(task, submissionId);
		else confirmCandidate(task, { submissionId, evaluationId: judgement.id }, judgement.shared);
		return { finalScore: judgement.finalScore };
	}
	const scores = mergeScores(counted);
	const last = counted.at(-1) ?? evaluation;
	updateSubmission(task, submissionId, {
		...scores,
		spread: judgement.spread,
		comparisonGroup: groupOfScore(counted) ?? last.comparisonGroup,
		reviewed: last.round === "review",
		injectionReported,
		status: SUBMISSION_TRANSITIONS.score.to,
		evaluated: true,
		evaluatedAt: judgement.createdAt,
		errorMessage: null,
		ownerErrorMessage: null,
		failure: null,
		iteration: ending.iteration,
		shownEvaluationId: judgement.id,
	});
	refreshEntry(task, submission.agentId);
	if (round !== "review") task.record({ type: "submission.completed", ...ids, finalScore: scores.finalScore });
	return { finalScore: scores.finalScore ?? judgement.finalScore };
}

/** A judge names the criteria whose samples have found text that tries to influence it. */
function reportsInjection({ texts }: Judgement): boolean {
	const suspected = texts.breakdown["injection_suspected"];
	return Array.isArray(suspected) && suspected.length > 0;
}

/** The receipt is left out, because it is long. */
const { receipt: _, ...earlierColumns } = getTableColumns(evaluations);

function selectEarlier({ db }: TaskStore, submissionId: string) {
	return db
		.select(earlierColumns)
		.from(evaluations)
		.where(eq(evaluations.submissionId, submissionId))
		.orderBy(asc(evaluations.iteration))
		.all();
}

type EvaluationColumns = ReturnType<typeof selectEarlier>[number];

function insertEvaluation(
	task: TaskStore,
	{ submissionId, iteration, round, used = [], isPaidByAgent = false }: EvaluationEnd,
	{ texts, receipt, shared: _, ...judgement }: Judgement,
): EvaluationColumns {
	const { evalMode, rubricVersion } = readTask(task);
	const dimensions = texts.dimensions.map(({ criterion, weight, score }) => ({ criterion, weight, score }));
	const row = {
		...judgement,
		...{ submissionId, iteration, round, evalMode, rubricVersion, dimensions },
		paidMicroUsd: isPaidByAgent ? Math.round((sumUsage(used).costMicroUsd ?? 0) * readShare(task)) : null,
		models: [...judgement.models],
		// A review belongs to the group of the score that it changes, because it does not begin another way of judging.
		comparisonGroup:
			(round === "review" ? getSubmissionRow(task, submissionId).comparisonGroup : null) ?? ensureComparisonGroup(task, judgement),
	};
	task.db
		.insert(evaluations)
		.values({ ...row, receipt: receipt ?? "" })
		.run();
	return row;
}

/**
 * Ends an evaluation without a score. A fault that the submission cannot have caused returns the slot to the agent, once.
 * The owner gets a warning about an image that cannot be started. Contract: ruling "Blame".
 */
export function recordFailure(task: TaskStore, { submissionId, round }: EvaluationEnd, fault: FaultRecord): void {
	const submission = getSubmissionRow(task, submissionId);
	const ids = { taskId: task.id, submissionId, agentId: submission.agentId };
	if (fault.blame === "task") warnOwner(task, { code: "IMAGE_ERROR", message: imageWarning(fault) });
	if (round === "final") {
		if (findStep(task, submissionId) !== null) endStep(task, submissionId);
		else failCandidate(task, submissionId, { isOwnFault: fault.blame === "submission" });
		return;
	}
	if (fault.lacksRoom && round === "re_evaluation" && submission.finalScore !== null) {
		withdraw(task, submission);
		return;
	}
	const isSlotReturned = fault.blame !== "submission" && !submission.slotReturned && !hasEvaluation(task, submissionId);
	const errorMessage = isSlotReturned ? `${fault.message} Your submission slot was given back.` : fault.message;
	updateSubmission(task, submissionId, {
		status: SUBMISSION_TRANSITIONS.giveUp.to,
		evaluated: false,
		errorMessage,
		ownerErrorMessage: fault.ownerMessage,
		failure: fault.failure,
	});
	if (isSlotReturned) giveSlotBack(task, submission);
	const told = messageOfEvent(readTask(task), fault.failure ?? "submission", errorMessage);
	task.record({ type: "submission.failed", ...ids, errorMessage: told });
	task.record({ type: "submission.completed", ...ids, finalScore: null });
}

/** Gives a submission again what it had before a re-evaluation that its task has no room for. */
function withdraw(task: TaskStore, { id, agentId, finalScore, iteration }: SubmissionRow): void {
	updateSubmission(task, id, { status: SUBMISSION_TRANSITIONS.score.to, evaluated: true, iteration: iteration - 1 });
	refreshEntry(task, agentId);
	task.record({ type: "submission.completed", taskId: task.id, submissionId: id, agentId, finalScore });
}

function hasEvaluation({ db }: TaskStore, submissionId: string): boolean {
	const found = db.select({ id: evaluations.id }).from(evaluations).where(eq(evaluations.submissionId, submissionId)).limit(1).get();
	return found !== undefined;
}

/** Stores what a consumer has found out about the artifact of a submission. */
export function recordFindings(task: TaskStore, submission: Pick<SubmissionRow, "id" | "agentId">, found: Findings): void {
	const { artifactSha256, signature } = found;
	if (artifactSha256 !== undefined) updateSubmission(task, submission.id, { artifactSha256 });
	if (signature === undefined) return;
	const { artifactSha256: signed } = getSubmissionRow(task, submission.id);
	const row = { artifactSha256: signed, ...signature };
	task.db
		.insert(signatures)
		.values({ submissionId: submission.id, agentId: submission.agentId, ...row })
		.onConflictDoUpdate({ target: signatures.submissionId, set: row })
		.run();
}

/** Returns true if the present artifact of a submission has its signature. */
export function isSigned({ db }: TaskStore, { id, artifactSha256 }: Pick<SubmissionRow, "id" | "artifactSha256">): boolean {
	const isSame = and(eq(signatures.submissionId, id), sql`${signatures.artifactSha256} is ${artifactSha256}`);
	return db.select({ id: signatures.submissionId }).from(signatures).where(isSame).get() !== undefined;
}
