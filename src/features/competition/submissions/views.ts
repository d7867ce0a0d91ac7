// How submissions look on the wire. Lists, single reads and the response to a submit share these shapes.

import { PUBLIC_FAILURES } from "../../../domain/failures.ts";
import { type EvalMode, MODES } from "../../../domain/modes.ts";
import { roundScore } from "../../../domain/scores.ts";
import { toIso } from "../../../platform/clock.ts";
import type { ShownReport } from "../judgements/report.ts";
import type { SubmissionRow } from "./store.ts";

type ViewedColumn =
	| ("id" | "agentId" | "agentDisplayName" | "status" | "evaluated" | "evaluatedAt" | "iteration" | "missingSections" | "createdAt")
	| ("finalScore" | "testScore" | "llmScore" | "containerScore" | "errorMessage" | "ownerErrorMessage" | "voidedAt" | "voidReason");

/** What views need of a submission. */
export interface SubmissionColumns extends Pick<SubmissionRow, ViewedColumn> {
	readonly taskId: string;
}

/** Who reads: the task's owner sees more of a failure than the agent. */
export interface Reader {
	readonly isOwner: boolean;
}

/** What every view of a submission has. */
export function viewSubmission(row: SubmissionColumns, reader: Reader) {
	return {
		id: row.id,
		task_id: row.taskId,
		agent_id: row.agentId,
		agent_display_name: row.agentDisplayName,
		status: row.status,
		evaluated: row.evaluated,
		iteration: row.iteration,
		missing_sections: row.missingSections ?? [],
		...viewError(row, reader),
		...viewVoided(row),
		created_at: toIso(row.createdAt),
	};
}

/** Present for failed and evaluation_failed only. */
export function viewError(row: SubmissionColumns, { isOwner }: Reader) {
	if (!hasFailed(row)) return {};
	return { error_message: (isOwner ? row.ownerErrorMessage : null) ?? row.errorMessage ?? "" };
}

/** Present for a submission that an operator has voided. */
export function viewVoided({ voidedAt, voidReason }: Pick<SubmissionColumns, "voidedAt" | "voidReason">) {
	return voidedAt === null ? {} : { voided: { at: toIso(voidedAt), reason: voidReason ?? "" } };
}

/** Present while an evaluation waits for a spending ceiling; for agent and owner. */
export function viewWaiting({ waitingFor }: { readonly waitingFor: string | null }) {
	return waitingFor === null ? {} : { waiting_for: waitingFor };
}

/** The same as anyone may read it. Contract: ruling "Public status". */
export function viewPublicError(row: SubmissionColumns & Pick<SubmissionRow, "failure">) {
	return hasFailed(row) ? { error_message: PUBLIC_FAILURES[row.failure ?? "submission"] } : {};
}

function hasFailed({ status }: Pick<SubmissionColumns, "status">): boolean {
	return status === "failed" || status === "evaluation_failed";
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
export function viewScores(row: SubmissionColumns, evalMode: EvalMode, report: ShownReport | null) {
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

/** How a task turns scores of criteria into the final score. */
export interface Scoring {
	readonly evalMode: EvalMode;
	readonly llmWeight: number;
}

export function viewDimensions(report: ShownReport | null, scoring: Scoring) {
	return (report?.dimensions ?? []).map(({ criterion_name, score, reasoning, weight }) => ({
		criterion_name,
		score,
		reasoning,
		weight,
		potential_points: potentialPoints({ score, weight }, scoring),
	}));
}

/** What a criterion could still add to final_score, in points; null where an image or a service makes the score. */
function potentialPoints({ score, weight }: { score: number; weight: number }, { evalMode, llmWeight }: Scoring): number | null {
	if (!MODES[evalMode].usesJudge) return null;
	return roundScore((((100 - score) * weight) / 100) * (llmWeight / 100));
}
