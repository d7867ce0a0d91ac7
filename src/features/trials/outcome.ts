// Writes how a trial ended: scores and reasons for its owner, and a warning when a case of the judge check failed.
import { commit } from "../../db/commit.ts";
import type { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { finalScore } from "../../domain/scores.ts";
import type { CommitItem, Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { failedCaseWarning, hasPassed } from "../competition/judge-check/rules.ts";
import { singleReport } from "../evaluation/medians.ts";
import { writeReport } from "../evaluation/report.ts";
import type { EvaluationResult } from "../judging/work.ts";
import { warnOwner } from "../tasks/service.ts";
import * as statements from "./statements.ts";
import type * as store from "./store.ts";

interface Ending {
	readonly trial: store.TrialRow;
	/** What must still be true when this is written. */
	readonly guard: Statement;
}

interface Scored extends Ending {
	readonly task: { readonly testWeight: number; readonly llmWeight: number };
	readonly result: EvaluationResult;
}

/** @throws StaleReadError when the guard does not hold. */
export async function recordScore(deps: Deps, { trial, guard, task, result }: Scored): Promise<void> {
	const { testScore, llmScore, containerScore } = result;
	const end = {
		status: "completed",
		finalScore: result.finalScore ?? finalScore({ ...result, testWeight: task.testWeight, llmWeight: task.llmWeight }),
		testScore,
		llmScore,
		containerScore,
		dimensions: result.dimensions.map(({ criterion, score }) => ({ criterion, score })),
		reportKey: trial.kind === "dry_run" ? await keepReport(deps, trial, result) : null,
	} as const;
	const warnings = warnOfFailedCase(deps, { ...trial, ...end, blame: null });
	await commit(deps.db, [guard, statements.finishTrial(deps, trial.id, end), ...warnings]);
}

function keepReport(deps: Deps, trial: store.TrialRow, result: EvaluationResult): Promise<string> {
	return writeReport(deps, { submissionId: trial.id, evaluationId: deps.ids.next(), report: singleReport(result) });
}

/** @throws StaleReadError when the guard does not hold. */
export async function recordFailure(deps: Deps, { trial, guard, fault }: Ending & { readonly fault: EvaluationFault }): Promise<void> {
	const errorMessage = fault.ownerMessage ?? fault.message;
	const end = { status: "evaluation_failed", errorMessage, blame: fault.blame, lastError: fault.message } as const;
	const warnings = warnOfFailedCase(deps, { ...trial, ...end, finalScore: null });
	await commit(deps.db, [guard, statements.finishTrial(deps, trial.id, end), ...warnings]);
}

/** Ends a case whose task was closed before it was judged, without a warning. */
export async function recordCancellation(deps: Deps, { trial, guard }: Ending): Promise<void> {
	await commit(deps.db, [guard, statements.finishTrial(deps, trial.id, { status: "cancelled" })]);
}

/** One warning per task, however many cases fail. */
function warnOfFailedCase(deps: Deps, trial: store.TrialRow): CommitItem[] {
	if (trial.kind !== "judge_check" || hasPassed(trial) !== false) return [];
	return warnOwner(deps, trial.taskId, { code: "JUDGE_CHECK_FAILED", message: failedCaseWarning(trial) });
}
