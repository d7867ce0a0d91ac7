import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import type { ReviewCause, ReviewDecision } from "../../../domain/evaluation-rounds.ts";
import { MODES } from "../../../domain/modes.ts";
import { isOver } from "../../../domain/task-status.ts";

/** Agents can appeal until this long after the end of the task. Contract: additions, "Appeals and human review". */
export const APPEAL_MS = 72 * 60 * 60 * 1000;
/** A submission whose score has at least this standard deviation in points is listed for a review. */
export const WIDE_SPREAD_POINTS = 10;
/** Ties count among this number of first places. */
export const TIED_PLACES = 3;

/** Returns the end of a task in milliseconds since the epoch. Returns null while it is open or evaluating. */
function endOf({ status, closedAt, deadline }: Pick<TaskRow, "status" | "closedAt" | "deadline">, now: number): number | null {
	return closedAt ?? (status === "open" && isOver({ deadline }, now) ? deadline : null);
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `CONFLICT`, `WRONG_STATUS`, `TASK_CLOSED` or `DEAL_EXISTS`, in this order.
 */
export function assertAppealable(
	{
		task,
		submission,
		hasAppeal,
		hasDeal,
	}: {
		readonly task: Pick<TaskRow, "status" | "hidden" | "closedAt" | "deadline">;
		readonly submission: Pick<SubmissionRow, "status" | "evaluated" | "voidedAt">;
		readonly hasAppeal: boolean;
		readonly hasDeal: boolean;
	},
	now: number,
): void {
	if (hasAppeal)
		throw new AppError("CONFLICT", { message: "You have appealed against this score already. Each submission has one appeal." });
	if (!submission.evaluated || submission.voidedAt !== null) {
		throw new AppError("WRONG_STATUS", { message: "Only a completed submission has a score to appeal against." });
	}
	if (task.hidden) throw new AppError("TASK_CLOSED", { message: "An operator of this platform has taken the task down." });
	const end = endOf(task, now);
	if (end !== null && now > end + APPEAL_MS) {
		throw new AppError("TASK_CLOSED", { message: "Appeals were accepted until 72 hours after the end of the task." });
	}
	assertNoDeal(hasDeal);
}

/** @throws AppError `DEAL_EXISTS` once the task's deal is recorded, because scores no longer change then. */
export function assertNoDeal(hasDeal: boolean): void {
	if (hasDeal) throw new AppError("DEAL_EXISTS", { message: "The task has its deal, so its scores no longer change." });
}

/** @throws AppError `INVALID_BODY` for a name that no criterion has. */
export function assertKnownCriteria(names: readonly string[], criteria: ReadonlySet<string>, path: (name: string) => string): void {
	const unknown = names.filter((name) => !criteria.has(name));
	if (unknown.length === 0) return;
	const message = "is not the name of a criterion of the rubric";
	throw invalidInput(
		"INVALID_BODY",
		unknown.slice(0, 20).map((name) => ({ path: path(name), message })),
	);
}

/** @throws AppError `NO_SUBMISSION`, `CONFLICT`, `WRONG_EVAL_MODE` or `SUBMISSION_IN_PROGRESS`, in this order. */
export function assertReviewable({
	task,
	submission,
	causes,
	isDecided,
	decision,
}: {
	readonly task: Pick<TaskRow, "evalMode">;
	readonly submission: Pick<SubmissionRow, "status">;
	readonly causes: readonly ReviewCause[];
	readonly isDecided: boolean;
	readonly decision: ReviewDecision;
}): void {
	if (isDecided) throw new AppError("CONFLICT", { message: "The review of this submission is decided." });
	if (causes.length === 0) {
		throw new AppError("NO_SUBMISSION", {
			message: "The submission is not listed for a review. GET /api/v1/tasks/{id}/reviews lists those that are.",
		});
	}
	if (decision === "upheld") return;
	if (!MODES[task.evalMode].usesJudge) {
		throw new AppError("WRONG_EVAL_MODE", {
			message: `Scores of eval_mode ${task.evalMode} cannot be changed by a review. Decide upheld, and say in the reason what follows.`,
		});
	}
	if (submission.status === "running") throw new AppError("SUBMISSION_IN_PROGRESS");
}
