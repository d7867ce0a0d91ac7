// Reads /autograder/results/results.json, which images for Gradescope write.
import * as z from "zod";
import type { TestResult } from "../../src/ports/grading.ts";
import { bareReport, checked, inRange, optionalText, reportedTest, ScoreFault, type ScoreReport } from "./report.ts";

const gradescopeFormat = z.object({
	score: z.number().optional(),
	output: optionalText,
	tests: z
		.array(
			z.object({
				name: optionalText,
				score: z.number().optional(),
				max_score: z.number().optional(),
				status: z.enum(["passed", "failed"]).optional(),
				output: optionalText,
			}),
		)
		.optional(),
});

/**
 * Returns the points as a share of the tests' maximum. Without a maximum, the score is from 0 to 100.
 *
 * @throws ScoreFault
 */
export function parseGradescope(json: unknown): ScoreReport {
	const file = checked(gradescopeFormat, json);
	const tests = file.tests ?? [];
	const points = file.score ?? sumOfAll(tests.map((test) => test.score));
	if (points === null) throw new ScoreFault("has neither a score nor a score for each test.");
	const maximum = sumOfAll(tests.map((test) => test.max_score));
	return {
		...bareReport(inRange(maximum === null || maximum === 0 ? points : (100 * points) / maximum, "the score in percent")),
		tests: tests.map(toTestResult),
		output: file.output ?? "",
	};
}

function toTestResult(test: NonNullable<z.output<typeof gradescopeFormat>["tests"]>[number], index: number): TestResult {
	const { score = null, max_score = null } = test;
	const hasAll = score !== null && max_score !== null && score >= max_score;
	const passed = test.status === undefined ? hasAll : test.status === "passed";
	return reportedTest({ name: test.name ?? `test ${index + 1}`, passed, score, max_score, output: test.output ?? "" });
}

/** Returns null unless there are values and none is missing. */
function sumOfAll(values: readonly (number | undefined)[]): number | null {
	const known = values.filter((value) => value !== undefined);
	return known.length === 0 || known.length < values.length ? null : known.reduce((sum, value) => sum + value, 0);
}
