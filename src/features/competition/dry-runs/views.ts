// How dry runs look on the wire: whole, and in a list.
import { sumUsage, type Usage, viewUsage } from "../../../domain/usage.ts";
import { toIso } from "../../../platform/clock.ts";
import type { ShownReport } from "../judgements/report.ts";
import { type Scoring, viewDimensions } from "../submissions/scores.ts";
import type { TrialRow } from "./outcome.ts";
import { compareWithExpected } from "./rules.ts";

interface ViewedTrial extends TrialRow {
	readonly taskId: string;
	/** What stops all judging, such as a ceiling; null for other reasons to wait. */
	readonly waitingFor: string | null;
}

export function viewListedDryRun(trial: ViewedTrial) {
	return {
		id: trial.id,
		task_id: trial.taskId,
		label: trial.name,
		status: statusOf(trial),
		scores: viewScores(trial),
		expected: trial.expected,
		agreement: compareWithExpected(trial.expected, trial.dimensions),
		error_message: trial.errorMessage,
		...(trial.waitingFor === null ? {} : { waiting_for: trial.waitingFor }),
		created_at: toIso(trial.createdAt),
	};
}

interface Reading {
	readonly report: ShownReport | null;
	readonly usage: readonly Usage[];
	readonly scoring: Scoring;
}

export function viewDryRun(trial: ViewedTrial, { report, usage, scoring }: Reading) {
	return {
		...viewListedDryRun(trial),
		dimensions: viewDimensions(report, scoring),
		breakdown: report?.breakdown ?? null,
		usage: viewUsage(sumUsage(usage)),
	};
}

/** A dry run is never cancelled. */
function statusOf({ status }: ViewedTrial) {
	return status === "cancelled" ? "evaluation_failed" : status;
}

function viewScores({ finalScore, testScore, llmScore, containerScore }: ViewedTrial) {
	if (finalScore === null) return null;
	return { final_score: finalScore, test_score: testScore, llm_score: llmScore, container_score: containerScore };
}
