// The judge check has one form on the wire, in every view of a task.
import { roundScore } from "../../../domain/scores.ts";
import { toIso } from "../../../platform/clock.ts";
import { type CheckedCase, hasPassed, REFERENCE_TOLERANCE_POINTS, statusOf } from "./rules.ts";

/**
 * Null when the task was not checked. Contract: additions, "Judge check". Only the owner reads the labels of its dry runs, so the others
 * read the number of a reference.
 */
export function viewJudgeCheck(checked: readonly CheckedCase[], { isOwner }: { readonly isOwner: boolean }) {
	const status = statusOf(checked);
	if (status === null) return null;
	const references = checked.filter(({ expected }) => expected !== null);
	const nameOf = (one: CheckedCase) => (one.expected === null || isOwner ? (one.name ?? "") : `reference ${references.indexOf(one) + 1}`);
	const ends = checked.map(({ finishedAt }) => finishedAt ?? 0);
	return {
		status,
		checked_at: status === "running" ? null : toIso(Math.max(...ends)),
		cases: checked
			.filter((one) => one.status !== "cancelled")
			.map((one) => ({
				name: nameOf(one),
				score: one.finalScore,
				expected_at_most: one.expected === null ? (one.expectedAtMost ?? 0) : null,
				expected_at_least: one.expected === null ? null : leastOf(one.expected),
				passed: hasPassed(one),
			})),
	};
}

function leastOf(expected: Readonly<Record<string, number>>): number {
	const least = Object.values(expected).map((score) => Math.max(0, score - REFERENCE_TOLERANCE_POINTS));
	return roundScore(least.reduce((sum, score) => sum + score, 0) / Math.max(1, least.length));
}
