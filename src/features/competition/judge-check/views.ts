// How the judge check looks on the wire, in every view of a task.
import { toIso } from "../../../platform/clock.ts";
import { type CheckedCase, hasPassed, statusOf } from "./rules.ts";

/** Null when the task was not checked. Contract: additions, "Judge check". */
export function viewJudgeCheck(checked: readonly CheckedCase[]) {
	const status = statusOf(checked);
	if (status === null) return null;
	const ends = checked.map(({ finishedAt }) => finishedAt ?? 0);
	return {
		status,
		checked_at: status === "running" ? null : toIso(Math.max(...ends)),
		cases: checked
			.filter((one) => one.status !== "cancelled")
			.map((one) => ({
				name: one.name ?? "",
				score: one.finalScore,
				expected_at_most: one.expectedAtMost ?? 0,
				passed: hasPassed(one),
			})),
	};
}
