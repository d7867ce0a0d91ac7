// Runs a poster's test suite: one run of the image for each case, whose standard output is compared. Only the grader knows the expected
// output: neither that nor how it is compared ever enters a container.
import { occurrencesOf } from "../src/domain/linear-search.ts";
import type { TestCase, TestResult } from "../src/ports/grading.ts";
import { findPatternFaults, findsPattern } from "./bounded-patterns.ts";

const MAX_SHOWN_CHARACTERS = 1_000;
/** A much longer output could contain every possible value, and so match `contains` or a pattern without solving the task. */
const LENGTH_FACTOR = 4;
export const EXTRA_BYTES = 1_024;
/** Control characters except tabs and newlines, because each becomes six characters in JSON. */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n]/gu;

export interface CaseOutput {
	readonly text: string;
	/** True if the image wrote more than `text`. */
	readonly isCut: boolean;
}

/**
 * Returns true if an output matches a case. A pattern that takes too long has not matched.
 *
 * @throws Error for a pattern that RE2 rejects; {@link findSuiteFault} checks suites before the first run.
 */
export async function matches(
	{ expected_output, match_type }: Pick<TestCase, "expected_output" | "match_type">,
	{ text, isCut }: CaseOutput,
): Promise<boolean> {
	if (isCut) return false;
	switch (match_type) {
		case "exact":
			return withoutTrailingSpace(text) === withoutTrailingSpace(expected_output);
		case "contains":
			return isShortEnough(text, expected_output) && contains(text, expected_output);
		case "regex":
			return isShortEnough(text, expected_output) && (await findsPattern(expected_output, text)) === true;
	}
}

function isShortEnough(text: string, expected: string): boolean {
	return Buffer.byteLength(text) <= LENGTH_FACTOR * Buffer.byteLength(expected) + EXTRA_BYTES;
}

/** Returns a fault of a suite that no run of the image can correct, or null. */
export async function findSuiteFault(cases: readonly TestCase[]): Promise<string | null> {
	const withPatterns = cases.filter(({ match_type }) => match_type === "regex");
	if (withPatterns.length === 0) return null;
	const faults = await findPatternFaults(withPatterns.map(({ expected_output }) => expected_output));
	if (faults === null) return "The patterns of the test suite take too long to read.";
	// Agents may read this message, and RE2's own would repeat the pattern.
	const name = withPatterns[faults.findIndex((fault) => fault !== null)]?.name;
	return name === undefined ? null : `The pattern of the test case ${JSON.stringify(name)} cannot be used. npm run grade says why.`;
}

/** Removes white space at the end of each line and of the whole text. */
function withoutTrailingSpace(text: string): string {
	return text
		.split(/\r\n|\n/)
		.map((line) => line.trimEnd())
		.join("\n")
		.trimEnd();
}

/** Does the same as `text.includes(part)` in linear time. */
export function contains(text: string, part: string): boolean {
	return part === "" || occurrencesOf(part, { text }).next().done === false;
}

/** Returns the result of a case, with as much of its input and output as people need to see. */
export async function judgeCase(testCase: TestCase, output: CaseOutput): Promise<TestResult> {
	const passed = await matches(testCase, output);
	return {
		name: testCase.name,
		passed,
		score: passed ? 1 : 0,
		max_score: 1,
		output: shown(output.text),
		public: testCase.public,
		input: shown(testCase.input),
	};
}

function shown(text: string): string {
	return text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed().replaceAll(CONTROL_CHARACTERS, "\uFFFD");
}

/** Returns the share of cases that passed, from 0 to 100. Each counts the same. */
export function shareOfPassed(results: readonly Pick<TestResult, "passed">[]): number {
	return results.length === 0 ? 0 : (100 * results.filter(({ passed }) => passed).length) / results.length;
}
