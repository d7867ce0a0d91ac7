import { AppError } from "../../../domain/errors.ts";
import { type Failure, PUBLIC_FAILURES } from "../../../domain/failures.ts";
import { canSubmissionMove, SUBMISSION_TRANSITIONS, type SubmissionStatus } from "../../../domain/submission-status.ts";
import { isOver, type TaskStatus, UPLOAD_GRACE_MS } from "../../../domain/task-status.ts";

const TAKEN_DOWN = "An operator of this platform has taken the task down, so it no longer accepts submissions.";

export interface SubmittableTask {
	readonly status: TaskStatus;
	readonly deadline: number;
	readonly hidden: boolean;
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `TASK_NOT_OPEN`, or `DEADLINE_PASSED` for a task that is still open past its deadline.
 */
export function assertSubmittable(task: SubmittableTask, now: number): void {
	if (task.hidden) throw new AppError("TASK_NOT_OPEN", { message: TAKEN_DOWN });
	// Only the owner can see a draft, so the caller owns it.
	if (task.status === "draft") {
		throw new AppError("TASK_NOT_OPEN", {
			message: "The task is your own draft. It accepts submissions after you publish it.",
			reason: "own_draft",
		});
	}
	if (task.status !== "open") {
		throw new AppError("TASK_NOT_OPEN", { message: `The task is ${task.status}. GET /api/v1/tasks lists tasks that accept submissions.` });
	}
	if (isOver(task, now)) throw new AppError("DEADLINE_PASSED");
}

/** @throws AppError `QUOTA_EXHAUSTED` when no slot is left. */
export function assertQuotaLeft(used: number, limit: number): void {
	if (used < limit) return;
	throw new AppError("QUOTA_EXHAUSTED", {
		message: `You have used all ${limit} submissions on this task.`,
		details: { used, limit, remaining: 0 },
	});
}

/**
 * Returns the message of the event about a failure. For a sealed task, the message is general: the owner gets the event too, and the
 * agent's message can contain filenames and output of the submission.
 */
export function messageOfEvent({ sealed }: { readonly sealed: boolean }, failure: Failure, message: string): string {
	return sealed ? PUBLIC_FAILURES[failure] : message;
}

const SHED_RETRY_AFTER_SECONDS = 60;

/** @throws AppError `SERVICE_PAUSED` if the oldest evaluation that has not started has waited for too long. */
export function assertQueueMoves(queueAgeMs: number, maxQueueAgeMs: number): void {
	if (queueAgeMs <= maxQueueAgeMs) return;
	throw new AppError("SERVICE_PAUSED", {
		message: "More submissions are waiting to be evaluated than the platform can judge in time. Submit again later.",
		retryAfterSeconds: SHED_RETRY_AFTER_SECONDS,
	});
}

/** Returns the time until which an artifact can be uploaded and completed: an hour past the deadline, in milliseconds since the epoch. */
export function uploadDeadline(task: { readonly deadline: number }): number {
	return task.deadline + UPLOAD_GRACE_MS;
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `TASK_CLOSED` if the owner has closed the task or an operator has taken it down, `WRONG_STATUS` unless the submission is
 * registered, `DEADLINE_PASSED` from an hour after the deadline.
 */
export function assertTakesArtifact(
	{
		submission,
		task,
	}: {
		readonly submission: { readonly status: SubmissionStatus };
		readonly task: {
			readonly deadline: number;
			readonly closedBy: "owner" | "deadline" | null;
			readonly hidden: boolean;
		};
	},
	now: number,
): void {
	if (task.hidden) throw new AppError("TASK_CLOSED", { message: TAKEN_DOWN });
	if (task.closedBy === "owner")
		throw new AppError("TASK_CLOSED", { message: "The task's owner has closed the task, so it accepts no more submissions." });
	if (!canSubmissionMove(submission.status, SUBMISSION_TRANSITIONS.complete)) {
		throw new AppError("WRONG_STATUS", { message: `The submission is ${submission.status}; its artifact can no longer change.` });
	}
	if (isOver({ deadline: uploadDeadline(task) }, now))
		throw new AppError("DEADLINE_PASSED", { message: "It is too late: artifacts were accepted until one hour after the deadline." });
}

export const RE_EVALUATION_COOLDOWN_MS = 60 * 60 * 1000;

interface ReEvaluationState {
	readonly submission: { readonly status: SubmissionStatus; readonly artifactKey: string | null; readonly reEvaluatedAt: number | null };
	readonly task: { readonly status: TaskStatus; readonly deadline: number; readonly hidden: boolean };
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `TASK_CLOSED`, `WRONG_STATUS`, `SUBMISSION_IN_PROGRESS`, `NO_ARTIFACT`, `RE_EVAL_COOLDOWN`, in this order.
 */
export function assertReEvaluable({ submission, task }: ReEvaluationState, now: number): void {
	if (task.hidden) throw new AppError("TASK_CLOSED", { message: TAKEN_DOWN });
	if (task.status !== "open" || isOver(task, now)) {
		throw new AppError("TASK_CLOSED", { message: "Submissions can be re-evaluated only while their task is open." });
	}
	assertEvaluatedBefore(submission);
	const waitMs = (submission.reEvaluatedAt ?? 0) + RE_EVALUATION_COOLDOWN_MS - now;
	if (submission.reEvaluatedAt !== null && waitMs > 0) throw new AppError("RE_EVAL_COOLDOWN", { retryAfterSeconds: waitMs / 1000 });
}

/** @throws AppError `CONFLICT` if a person has set the scores, because a person's scores take precedence. */
export function assertJudged({ isByPerson }: { readonly isByPerson: boolean }): void {
	if (!isByPerson) return;
	throw new AppError("CONFLICT", { message: "The task's owner has changed the scores of the submission, so it cannot be re-evaluated." });
}

/** @throws AppError `CONFLICT` if the submission was voided, because another evaluation would cost money and change no rank. */
export function assertNotVoided({ voidedAt }: { readonly voidedAt: number | null }): void {
	if (voidedAt === null) return;
	throw new AppError("CONFLICT", {
		message: "An operator has excluded the submission from the competition, so it cannot be re-evaluated.",
	});
}

/** The maximum number of evaluations per submission. Each one reads all earlier ones, and later ones hardly change the median. */
export const MAX_ITERATIONS = 200;

/** @throws AppError `CONFLICT` if the submission has the maximum number of evaluations. */
export function assertIterationsLeft({ iteration }: { readonly iteration: number }): void {
	if (iteration < MAX_ITERATIONS) return;
	throw new AppError("CONFLICT", { message: `A submission can be evaluated at most ${MAX_ITERATIONS} times.` });
}

/**
 * @throws AppError `WRONG_STATUS`, `SUBMISSION_IN_PROGRESS`, `NO_ARTIFACT` unless the submission has been evaluated, is not being evaluated
 * now, and still has its artifact.
 */
export function assertEvaluatedBefore(submission: Pick<ReEvaluationState["submission"], "status" | "artifactKey">): void {
	if (!canSubmissionMove(submission.status, SUBMISSION_TRANSITIONS.reEvaluate)) {
		if (submission.status === "running") throw new AppError("SUBMISSION_IN_PROGRESS");
		throw new AppError("WRONG_STATUS", {
			message: "The submission has not been evaluated yet. Upload its artifact and complete it first.",
		});
	}
	if (submission.artifactKey === null) throw new AppError("NO_ARTIFACT");
}
