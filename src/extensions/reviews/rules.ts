import type { SubmissionRow } from "../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { MODES } from "../../domain/modes.ts";
import { APPEAL_MS, REVIEW_MS, type ReviewCause, type ReviewDecision } from "../../domain/reviews.ts";
import { roundScore } from "../../domain/scores.ts";
import { type DecidedTask, decidedSince } from "../../domain/task-status.ts";

/** A submission whose score has at least this standard deviation in points is listed for a review. */
export const WIDE_SPREAD_POINTS = 10;
/** Ties matter within this number of first places. */
export const TIED_PLACES = 3;

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `CONFLICT`, `WRONG_STATUS` or `TASK_CLOSED`, in this order.
 */
export function assertAppealable(
	{
		task,
		submission,
		hasAppeal,
	}: {
		readonly task: DecidedTask & Pick<TaskRow, "hidden">;
		readonly submission: Pick<SubmissionRow, "status" | "evaluated" | "voidedAt">;
		readonly hasAppeal: boolean;
	},
	now: number,
): void {
	if (hasAppeal)
		throw new AppError("CONFLICT", { message: "You have already appealed against this score. Each submission can have one appeal." });
	if (!submission.evaluated || submission.voidedAt !== null) {
		throw new AppError("WRONG_STATUS", { message: "Only a completed submission has a score to appeal against." });
	}
	if (task.hidden)
		throw new AppError("TASK_CLOSED", { message: "An operator of this platform has taken the task down, so you cannot appeal." });
	const since = decidedSince(task, now);
	if (since !== null && now > since + APPEAL_MS) {
		throw new AppError("TASK_CLOSED", { message: "Appeals were accepted until 72 hours after the end of the task or of its final round." });
	}
}

/** @throws AppError `INVALID_BODY` for a name that is not a criterion. */
export function assertKnownCriteria(names: readonly string[], criteria: ReadonlySet<string>, path: (name: string) => string): void {
	const unknown = names.filter((name) => !criteria.has(name));
	if (unknown.length === 0) return;
	const message = "is not the name of a criterion of the rubric";
	throw invalidInput(
		"INVALID_BODY",
		unknown.slice(0, 20).map((name) => ({ path: path(name), message })),
	);
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `CONFLICT`, `NO_SUBMISSION`, `TASK_CLOSED`, `WRONG_EVAL_MODE` or `SUBMISSION_IN_PROGRESS`, in this order.
 */
export function assertReviewable(
	{
		task,
		submission,
		causes,
		isDecided,
		decision,
	}: {
		readonly task: DecidedTask & Pick<TaskRow, "evalMode">;
		readonly submission: Pick<SubmissionRow, "status">;
		/** Why a person should look at the submission now. */
		readonly causes: readonly ReviewCause[];
		/** True if the owner has decided, and nothing has opened the review again. */
		readonly isDecided: boolean;
		readonly decision: ReviewDecision;
	},
	now: number,
): void {
	if (isDecided) throw new AppError("CONFLICT", { message: "The review of this submission has already been decided." });
	if (causes.length === 0) {
		throw new AppError("NO_SUBMISSION", {
			message: "The submission is not in the list of open reviews. See GET /api/v1/tasks/{id}/reviews.",
		});
	}
	const since = decidedSince(task, now);
	if (since !== null && now > since + REVIEW_MS) {
		throw new AppError("TASK_CLOSED", { message: "Reviews were possible until 14 days after the end of the task or of its final round." });
	}
	if (decision === "upheld") return;
	if (!MODES[task.evalMode].usesJudge) {
		throw new AppError("WRONG_EVAL_MODE", {
			message: `A review cannot change scores on a task with eval_mode ${task.evalMode}. Set decision to "upheld", and say in reason what you will do instead.`,
		});
	}
	if (submission.status === "running") throw new AppError("SUBMISSION_IN_PROGRESS");
}

/**
 * Chooses the evaluation that a review starts from: the one whose score is nearest to the submission's score, which can be a median.
 * Of several that are equally near, chooses the one with the highest score, so that raising a criterion never lowers the score, and then
 * the newest.
 *
 * @param counted The evaluations that make up the score, oldest first.
 */
export function nearestEvaluation<Evaluation extends { readonly finalScore: number }>(
	counted: readonly Evaluation[],
	finalScore: number,
): Evaluation | undefined {
	const distanceOf = (evaluation: Evaluation) => roundScore(Math.abs(evaluation.finalScore - finalScore));
	return counted.toReversed().toSorted((a, b) => distanceOf(a) - distanceOf(b) || b.finalScore - a.finalScore)[0];
}

/** @throws AppError `CONFLICT` for a review that would lower the final score. */
export function assertNotLowered(from: number, to: number): void {
	if (to >= from) return;
	throw new AppError("CONFLICT", {
		message: `These scores would lower the final score from ${from} to ${to}, and a review never lowers a score. If the score should be lower, report the submission with POST /api/v1/reports.`,
	});
}
