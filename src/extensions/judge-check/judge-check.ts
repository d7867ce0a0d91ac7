// The judge check has one form on the wire, in every view of a task.
import * as z from "zod";
import { score, timestamp } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import { type CheckCase, checkedScore, hasPassed, statusOfCheck } from "./rules.ts";

const checkedCaseView = z
	.object({
		name: z
			.string()
			.describe(
				"Which submission was judged. The page about judging describes each. A reference has its label for the owner, and a number for others.",
			),
		score: score
			.nullable()
			.describe(
				"The score that it got; of a reference, over the criteria that its poster expects a score of. Null while it is judged, and if it got none.",
			),
		expected_at_most: score.nullable().describe("The highest score at which the case passes. Null for a reference of the poster."),
		expected_at_least: score
			.nullable()
			.describe(
				"The lowest score at which a reference of the poster passes: the weighted mean of the scores that the poster expects, less the greater of 15 points and three standard deviations of one sample. Null for other cases.",
			),
		passed: z.boolean().nullable().describe("Whether the case passed. Null while it is judged, and if the platform could not judge it."),
	})
	.meta({ id: "JudgeCheckCase", description: "One submission of the judge check." });

export const judgeCheckView = z
	.object({
		status: z
			.enum(["running", "passed", "failed"])
			.describe("`failed`: a submission without real work scored more than it should, a reference less, or the image failed."),
		checked_at: timestamp.nullable().describe("When the check ended. Null while it runs."),
		cases: z.array(checkedCaseView).describe("The submissions that were judged."),
	})
	.meta({ id: "JudgeCheck", description: "How the task's judge scored submissions that do not do the work." });

/**
 * Returns null for a task that was not checked. Only the owner reads the labels of its dry runs, so others read the number of a
 * reference. Contract: additions, "Judge check".
 */
export function viewJudgeCheck(checked: readonly CheckCase[], { isOwner }: { readonly isOwner: boolean }) {
	const status = statusOfCheck(checked);
	if (status === null) return null;
	const references = checked.filter(({ expected }) => expected !== null);
	const nameOf = (one: CheckCase) => (one.expected === null || isOwner ? (one.name ?? "") : `reference ${references.indexOf(one) + 1}`);
	const ends = checked.map(({ finishedAt }) => finishedAt ?? 0);
	return {
		status,
		checked_at: status === "running" ? null : toIso(Math.max(...ends)),
		cases: checked
			.filter((one) => one.status !== "cancelled")
			.map((one) => ({
				name: nameOf(one),
				score: checkedScore(one),
				expected_at_most: one.expected === null ? (one.expectedAtMost ?? 0) : null,
				expected_at_least: one.expectedAtLeast,
				passed: hasPassed(one),
			})),
	};
}
