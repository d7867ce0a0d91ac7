// How a trial ends: scores and reasons for the task's owner, and a warning when a case of the judge check failed.
import { eq } from "drizzle-orm";
import { trials } from "../../../db/task/schema/judging.ts";
import type { FaultRecord } from "../../../domain/evaluation-fault.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { failedCaseWarning, hasPassed } from "../judge-check/rules.ts";
import type { Judgement } from "../judgements/judgement.ts";
import { singleReport, writeReport } from "../judgements/report.ts";
import { warnOwner } from "../tasks/store.ts";

export type TrialRow = typeof trials.$inferSelect;

export function recordTrialScore(task: TaskStore, trialId: string, judgement: Judgement): void {
	const { finalScore, testScore, llmScore, containerScore, texts } = judgement;
	const dimensions = texts.dimensions.map(({ criterion, score }) => ({ criterion, score }));
	const ended = endTrial(task, trialId, { status: "completed", finalScore, testScore, llmScore, containerScore, dimensions });
	if (ended.kind === "dry_run") writeReport(task, trialId, singleReport(texts));
}

export function recordTrialFailure(task: TaskStore, trialId: string, { message, ownerMessage, blame }: FaultRecord): void {
	endTrial(task, trialId, { status: "evaluation_failed", errorMessage: ownerMessage ?? message, blame });
}

/** Ends a case whose task was closed before it was judged, without a warning. */
export function cancelTrial(task: TaskStore, trialId: string): void {
	endTrial(task, trialId, { status: "cancelled" });
}

/** One warning for each task, however many cases fail. */
function endTrial(task: TaskStore, trialId: string, end: Partial<TrialRow>): TrialRow {
	const trial = task.db
		.update(trials)
		.set({ ...end, finishedAt: task.now })
		.where(eq(trials.id, trialId))
		.returning()
		.get();
	if (trial.kind === "judge_check" && hasPassed(trial) === false) {
		warnOwner(task, { code: "JUDGE_CHECK_FAILED", message: failedCaseWarning(trial) });
	}
	return trial;
}
