import type { Blame } from "../../../domain/evaluation-fault.ts";
import { type EvalMode, MODES } from "../../../domain/modes.ts";
import type { TrialStatus } from "../../../domain/trials.ts";

export interface CheckCase {
	readonly name: string | null;
	readonly status: TrialStatus;
	readonly finalScore: number | null;
	readonly expectedAtMost: number | null;
	readonly blame: Blame | null;
	/** The poster expects at least these scores of a reference, less the tolerance. It is null for the platform's cases. */
	readonly expected: Readonly<Record<string, number>> | null;
	readonly dimensions: readonly { readonly criterion: string; readonly score: number }[] | null;
	/** The time is in milliseconds since the epoch. */
	readonly finishedAt: number | null;
}

/** A reference may score this much less than its poster expects. */
export const REFERENCE_TOLERANCE_POINTS = 15;

/**
 * Returns whether a case passed; null before it has ended. A reference has to reach what is expected of it. Another case whose own
 * fault leaves it without a score has got nothing, so it passes. Where the platform or the image is to blame, nothing is known about the
 * judge, so it does not.
 */
export function hasPassed(checked: Omit<CheckCase, "name" | "finishedAt">): boolean | null {
	const { status, finalScore, expectedAtMost, blame } = checked;
	if (status === "completed")
		return checked.expected === null ? (finalScore ?? 0) <= (expectedAtMost ?? 0) : describeMissed(checked) === null;
	return status === "evaluation_failed" ? blame === "submission" && checked.expected === null : null;
}

/**
 * Says where a reference has less than its poster expects. In all it needs as much as the poster expects of its worst criterion, less the
 * tolerance, because an image that grades everything with 0 would pass all attacks. Null if it has enough.
 */
function describeMissed(checked: Pick<CheckCase, "expected" | "dimensions" | "finalScore">): string | null {
	const criterion = findMissed(checked);
	if (criterion !== null) return `on ${JSON.stringify(criterion)}`;
	const least = Math.min(...Object.values(checked.expected ?? {}));
	return Number.isFinite(least) && (checked.finalScore ?? 0) < least - REFERENCE_TOLERANCE_POINTS ? "in all" : null;
}

/** Finds the first criterion on which a reference has less than is expected of it, less the tolerance. */
function findMissed({ expected, dimensions }: Pick<CheckCase, "expected" | "dimensions">): string | null {
	const missed = Object.entries(expected ?? {}).find(([name, wanted]) => {
		const score = dimensions?.find(({ criterion }) => criterion === name)?.score ?? 0;
		return score < wanted - REFERENCE_TOLERANCE_POINTS;
	});
	return missed?.[0] ?? null;
}

/** Returns the state of a task's check. Returns null if the task was not checked, or was closed before. */
export function statusOfCheck(cases: readonly CheckCase[]): "running" | "passed" | "failed" | null {
	if (cases.length === 0) return null;
	if (cases.some(({ status }) => status === "running")) return "running";
	if (cases.some((checked) => hasPassed(checked) === false)) return "failed";
	return cases.every((checked) => hasPassed(checked) === true) ? "passed" : null;
}

/** Explains to the owner of a task of this mode a case that did not pass. */
export function failedCaseWarning(
	failed: Pick<CheckCase, "name" | "finalScore" | "expectedAtMost" | "expected" | "dimensions"> & {
		readonly errorMessage: string | null;
	},
	mode: EvalMode,
): string {
	const { name, finalScore, expectedAtMost, errorMessage } = failed;
	const missed = describeMissed(failed);
	const result =
		finalScore !== null && missed !== null
			? `The reference ${JSON.stringify(name)} got less in the judge check than you expect: more than ${REFERENCE_TOLERANCE_POINTS} points ${missed}.`
			: finalScore === null
				? `The case ${name} of the judge check could not be judged: ${errorMessage}`
				: `A submission that does not do the work got ${finalScore} points in the judge check (case ${name}, at most ${expectedAtMost} expected).`;
	const { usesJudge, usesImage } = MODES[mode];
	const remedies = [...(usesJudge ? ["the criteria more exact"] : []), ...(usesImage ? ["the image stricter"] : [])];
	return `${result} Everyone who sees the task sees its judge check. Scores on this task may not show who did the work: make ${remedies.join(" or ")} in a new task.`;
}
