// Reports a job's attempts to operators, and builds the faults that end attempts.
import type { JobRow } from "../../../db/task/schema/judging.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { Failure } from "../../../domain/failures.ts";
import { describeError, type LogFacts } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { hasFailedRun } from "../../judging/modes/container.ts";

/** Adds an attempt that has ended to the metrics. */
export function writeAttempt(
	{ metrics, clock }: Deps,
	{
		job,
		startedAt,
		outcome,
		failure,
		subject,
	}: {
		readonly startedAt: number;
		readonly job: Pick<JobRow, "attempts" | "createdAt">;
		readonly outcome: "scored" | "failed" | "retried" | "deferred";
		readonly failure: Failure | undefined;
		readonly subject: "submission" | "trial";
	},
): void {
	const now = clock.now();
	metrics.write("evaluation", {
		outcome,
		failure: failure ?? "",
		subject,
		ms: now - startedAt,
		job_ms: now - job.createdAt,
		attempts: job.attempts,
	});
}

const MAX_LOGGED_CAUSE_LENGTH = 500;

/** Logs a fault with its cause for operators. Agents see only the message, which contains no URLs and no text from other services. */
export function logFault(deps: Deps, ids: LogFacts, fault: EvaluationFault): void {
	deps.log.error("evaluation_fault", {
		...ids,
		blame: fault.blame,
		is_retryable: fault.isRetryable,
		fault: fault.message,
		cause: fault.cause instanceof Error ? fault.cause.message.slice(0, MAX_LOGGED_CAUSE_LENGTH) : undefined,
	});
}

/**
 * Returns the fault of a failed attempt. An error that is not a fault of an evaluation counts as the platform's fault: for example, R2 or
 * D1 did not respond.
 */
export function faultOfAttempt(deps: Deps, error: unknown): EvaluationFault {
	if (error instanceof EvaluationFault) return error;
	deps.log.error("evaluation_crashed", describeError(error));
	return new EvaluationFault("The evaluation was interrupted by a platform error.", {
		blame: "platform",
		isRetryable: true,
		cause: error,
	});
}

/**
 * Builds the fault of a job that has run out of time. Blames the submission if one of its container runs has already failed: a submission
 * must not get its slot back by failing so late that a second run cannot finish in time.
 */
export function outOfTime({ lastError, progress }: { readonly lastError: string | null; readonly progress: unknown }): EvaluationFault {
	const reason = lastError === null ? "" : ` Last fault: ${lastError}`;
	const blame = hasFailedRun(progress) ? "submission" : "platform";
	return new EvaluationFault(`The evaluation did not end within its time limit.${reason}`, { blame, isRetryable: false });
}

export function waitedTooLong({ wait, supplierWords }: Pick<JobRow, "wait" | "supplierWords">): EvaluationFault {
	const message = `The evaluation has waited 24 hours in total, so it ends without a score.${wait === null ? "" : ` Last reason: ${wait.message}`}`;
	const waitsFor = wait === null || wait.reason === "paused" ? null : wait.reason;
	return new EvaluationFault(message, { blame: "platform", isRetryable: false, waitsFor, ceilings: wait?.ceilings ?? [], supplierWords });
}
