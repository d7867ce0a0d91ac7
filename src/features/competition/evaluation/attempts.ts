// What a consumer says of its attempts at a job: data points, the log, and the faults that end them.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { Failure } from "../../../domain/failures.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { hasFailedRun } from "../../judging/modes/container.ts";
import type { JobRow } from "../judgements/jobs.ts";

type Outcome = "scored" | "failed" | "retried" | "deferred";

interface EndedAttempt {
	/** When it began, in milliseconds since the epoch. */
	readonly startedAt: number;
	readonly job: Pick<JobRow, "attempts" | "createdAt">;
	readonly outcome: Outcome;
	readonly failure: Failure | undefined;
	readonly isTrial: boolean;
}

/** Writes how an attempt ended as a data point. */
export function writeAttempt({ metrics, clock }: Deps, { job, startedAt, outcome, failure, isTrial }: EndedAttempt): void {
	const now = clock.now();
	metrics.write("evaluation", {
		outcome,
		failure: failure ?? "",
		subject: isTrial ? "trial" : "submission",
		ms: now - startedAt,
		job_ms: now - job.createdAt,
		attempts: job.attempts,
	});
}

/** Why nothing is judged, for agents and owners; null while judging is on. */
export async function findPause(deps: Deps): Promise<string | null> {
	const { judging } = await deps.switchboard.read(deps);
	if (judging.on) return null;
	return judging.message === "" ? "Judging is paused." : `Judging is paused: ${judging.message}`;
}

const MAX_LOGGED_CAUSE_LENGTH = 500;

interface LoggedAttempt {
	readonly job: Pick<JobRow, "id">;
	/** Ids for the log. */
	readonly subject: Readonly<Record<string, string>>;
}

/** For operators. Agents read the fault's message, which contains neither URLs nor texts of other services. */
export function logFault(deps: Deps, { job, subject }: LoggedAttempt, fault: EvaluationFault): void {
	deps.log.error("evaluation_fault", {
		job_id: job.id,
		...subject,
		blame: fault.blame,
		is_retryable: fault.isRetryable,
		fault: fault.message,
		cause: fault.cause instanceof Error ? fault.cause.message.slice(0, MAX_LOGGED_CAUSE_LENGTH) : undefined,
	});
}

/** The fault that a thrown error means for the evaluation. Any other error is a fault of the platform. */
export function toFault(deps: Deps, error: unknown): EvaluationFault {
	if (error instanceof EvaluationFault) return error;
	deps.log.error("evaluation_crashed", describeError(error));
	return new EvaluationFault("The evaluation broke off on the platform's side.", { blame: "platform", isRetryable: true, cause: error });
}

/**
 * The fault of a job whose time is over. If a run of the image has failed by then, the submission may have caused it: otherwise it
 * could fail late enough that the second run does not end in time.
 */
export function outOfTime({ lastError, progress }: { readonly lastError: string | null; readonly progress: unknown }): EvaluationFault {
	const reason = lastError === null ? "" : ` Last fault: ${lastError}`;
	const blame = hasFailedRun(progress) ? "submission" : "platform";
	return new EvaluationFault(`The evaluation did not end within its time limit.${reason}`, { blame, isRetryable: false });
}
