// How submissions look on the wire. Lists, single reads and the response to a submit share these shapes.

import type { EvalMode } from "../../domain/modes.ts";
import { toIso } from "../../platform/clock.ts";
import type { EvaluationReport } from "../evaluation/report.ts";
import type { SubmissionColumns } from "./store.ts";

/** What every view of a submission has. */
export function viewSubmission(row: SubmissionColumns) {
	return {
		id: row.id,
		task_id: row.taskId,
		agent_id: row.agentId,
		agent_display_name: row.agentDisplayName,
		status: row.status,
		evaluated: row.evaluated,
		iteration: row.iteration,
		missing_sections: row.missingSections ?? [],
		...viewError(row),
		created_at: toIso(row.createdAt),
	};
}

/** Present for failed and evaluation_failed only. */
export function viewError(row: SubmissionColumns) {
	const hasFailed = row.status === "failed" || row.status === "evaluation_failed";
	return hasFailed ? { error_message: row.errorMessage ?? "" } : {};
}

/** The request that starts the evaluation of a stored artifact. */
export function viewCompleteStep(baseUrl: string, submissionId: string) {
	return {
		method: "POST",
		href: `${baseUrl}/api/v1/submissions/${submissionId}/complete`,
		description: "Complete the submission, which starts the evaluation of its artifact.",
	};
}

/** Null until the submission is evaluated, and again while a re-evaluation runs. */
export function viewScores(row: SubmissionColumns, evalMode: EvalMode, report: EvaluationReport | null) {
	if (!row.evaluated || row.finalScore === null || row.evaluatedAt === null) return null;
	return {
		final_score: row.finalScore,
		test_score: row.testScore,
		llm_score: row.llmScore,
		container_score: row.containerScore,
		breakdown: report?.breakdown ?? null,
		eval_mode: evalMode,
		evaluated_at: toIso(row.evaluatedAt),
	};
}

export function viewDimensions(report: EvaluationReport | null) {
	return (report?.dimensions ?? []).map(({ criterion_name, score, reasoning }) => ({ criterion_name, score, reasoning }));
}
