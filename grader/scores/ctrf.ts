// Reads /results/ctrf-report.json, in the Common Test Report Format, which many test runners write.
import * as z from "zod";
import { checked, optionalText, reportedTest, reportOfTests, ScoreFault, type ScoreReport } from "./report.ts";

const count = z.number().int().min(0);

const ctrfFormat = z.object({
	results: z.object({
		summary: z.object({ tests: count, passed: count, failed: count.optional() }),
		tests: z.array(
			z.object({
				name: z.string(),
				status: z.enum(["passed", "failed", "skipped", "pending", "other"]),
				message: optionalText,
				trace: optionalText,
			}),
		),
	}),
});

/**
 * Returns the share of tests that passed.
 *
 * @throws ScoreFault also if the summary's counts differ from the file's list, because neither has priority.
 */
export function parseCtrf(json: unknown): ScoreReport {
	const { summary, tests } = checked(ctrfFormat, json).results;
	const results = tests.map(({ name, status, message, trace }) =>
		reportedTest({ name, passed: status === "passed", output: message ?? trace ?? "" }),
	);
	const passed = results.filter((test) => test.passed).length;
	const failed = tests.filter(({ status }) => status === "failed").length;
	if (summary.tests !== results.length || summary.passed !== passed) {
		throw new ScoreFault(
			`its summary says ${summary.passed} of ${summary.tests} tests passed, and its list ${passed} of ${results.length}.`,
		);
	}
	if (summary.failed !== undefined && summary.failed !== failed) {
		throw new ScoreFault(`its summary says that ${summary.failed} tests failed, and its list that ${failed} did.`);
	}
	return reportOfTests(results);
}
