// A poster's test suite: one run of the image for each case, its standard output compared with what is expected.
import { RE2JS } from "re2js";
import type { TestCase, TestResult } from "../src/ports/grading.ts";

const MAX_SHOWN_OUTPUT = 1_000;
/** What a pattern is looked for in. Linear time is long time too, in many steps for each of millions of characters. */
const MAX_SEARCHED_OUTPUT = 65_536;
/** Control characters but tabs and newlines: each becomes six in JSON. */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n]/gu;

/**
 * Whether an output is what a case expects.
 *
 * @throws Error for a pattern that RE2 does not take; suites are checked with {@link findPatternFault} before the first run.
 */
export function matches({ expected_output, match_type }: Pick<TestCase, "expected_output" | "match_type">, output: string): boolean {
	switch (match_type) {
		case "exact":
			return withoutTrailingSpace(output) === withoutTrailingSpace(expected_output);
		case "contains":
			return output.includes(expected_output);
		case "regex":
			// RE2 takes time linear in the output, so no pattern and no output can make it hang.
			return RE2JS.compile(expected_output, RE2JS.MULTILINE).matcher(output.slice(0, MAX_SEARCHED_OUTPUT)).find();
	}
}

/** Why RE2 does not take a pattern, or null. */
export function findPatternFault(pattern: string): string | null {
	try {
		RE2JS.compile(pattern, RE2JS.MULTILINE);
		return null;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** At the end of each line and of the whole. */
function withoutTrailingSpace(text: string): string {
	return text
		.split(/\r\n|\n/)
		.map((line) => line.trimEnd())
		.join("\n")
		.trimEnd();
}

/** The result of a case, with as much of the output as a poster needs to see. */
export function judgeCase(testCase: TestCase, output: string): TestResult {
	const passed = matches(testCase, output);
	const shown = output.slice(0, MAX_SHOWN_OUTPUT).toWellFormed().replaceAll(CONTROL_CHARACTERS, "\uFFFD");
	return { name: testCase.name, passed, score: passed ? 1 : 0, max_score: 1, output: shown };
}

/** 0..100: the share of cases that passed, each counting the same. */
export function shareOfPassed(results: readonly Pick<TestResult, "passed">[]): number {
	return results.length === 0 ? 0 : (100 * results.filter(({ passed }) => passed).length) / results.length;
}
