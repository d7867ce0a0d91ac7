// The task's contracts use this schema of the judge check.
import * as z from "zod";
import { score, timestamp } from "../../../http/fields.ts";

const checkedCaseView = z
	.object({
		name: z
			.string()
			.describe(
				"Which submission was judged. The page about judging describes each. A reference has its label for the owner, and a number for others.",
			),
		score: score.nullable().describe("The score that it got. Null while it is judged, and if it got none."),
		expected_at_most: score.nullable().describe("The highest score at which the case passes. Null for a reference of the poster."),
		expected_at_least: score
			.nullable()
			.describe(
				"Only for a reference: the mean of the scores that its poster expects, less 15 points. It passes if each criterion reaches its own. Otherwise null.",
			),
		passed: z.boolean().nullable().describe("Whether the case passed. Null while it is judged."),
	})
	.meta({ id: "JudgeCheckCase", description: "One submission of the judge check." });

export const judgeCheckView = z
	.object({
		status: z
			.enum(["running", "passed", "failed"])
			.describe("`failed`: a submission without real work scored more than it should, or could not be judged."),
		checked_at: timestamp.nullable().describe("When the check ended. Null while it runs."),
		cases: z.array(checkedCaseView).describe("The submissions that were judged."),
	})
	.meta({ id: "JudgeCheck", description: "How the task's judge scored submissions that do not do the work." });
