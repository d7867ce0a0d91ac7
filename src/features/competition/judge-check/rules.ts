import type { Blame } from "../../../domain/evaluation-fault.ts";
import type { TrialStatus } from "../../../domain/trials.ts";

export interface CheckedCase {
	readonly name: string | null;
	readonly status: TrialStatus;
	readonly finalScore: number | null;
	readonly expectedAtMost: number | null;
	readonly blame: Blame | null;
	/** Milliseconds since the epoch. */
	readonly finishedAt: number | null;
}

/**
 * Whether a case passed; null before it has ended. A submission whose own fault leaves it without a score has got nothing, so it
 * passes. Where the platform or the image is to blame, nothing is known about the judge, so it does not.
 */
export function hasPassed({ status, finalScore, expectedAtMost, blame }: Omit<CheckedCase, "name" | "finishedAt">): boolean | null {
	if (status === "completed") return (finalScore ?? 0) <= (expectedAtMost ?? 0);
	return status === "evaluation_failed" ? blame === "submission" : null;
}

/** Where the check of a task stands; null when it was not checked, or was closed before it was. */
export function statusOf(cases: readonly CheckedCase[]): "running" | "passed" | "failed" | null {
	if (cases.length === 0) return null;
	if (cases.some(({ status }) => status === "running")) return "running";
	if (cases.some((checked) => hasPassed(checked) === false)) return "failed";
	return cases.every((checked) => hasPassed(checked) === true) ? "passed" : null;
}

interface FailedCase extends Pick<CheckedCase, "name" | "finalScore" | "expectedAtMost"> {
	readonly errorMessage: string | null;
}

/** What the owner reads about a case that did not pass. */
export function failedCaseWarning({ name, finalScore, expectedAtMost, errorMessage }: FailedCase): string {
	const result =
		finalScore === null
			? `The case ${name} of the judge check could not be judged: ${errorMessage}`
			: `A submission that does not do the work got ${finalScore} points in the judge check (case ${name}, at most ${expectedAtMost} expected).`;
	return `${result} Everyone sees this in judge_check. Scores on this task may not show who did the work: make the criteria more exact, or the image stricter, in a new task.`;
}
