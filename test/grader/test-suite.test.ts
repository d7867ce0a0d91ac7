import { describe, expect, it } from "vitest";
import { findPatternFault, judgeCase, matches, shareOfPassed } from "../../grader/test-suite.ts";
import { testSuite } from "../../src/ports/grading.ts";

describe("a case", () => {
	it.each([
		["exact", "a\nb", "a\nb\n\n", true],
		["exact", "a  \nb", "a\nb\t", true],
		["exact", "a\nb", "a\r\nb\r\n", true],
		["exact", "a", " a", false],
		["exact", "a", "A", false],
		["exact", "", "\n", true],
		["contains", "needle", "hay needle hay", true],
		["contains", "needle", "hay", false],
		["contains", "", "anything", true],
		["regex", "^\\d{3}$", "abc\n123\n", true],
		["regex", "^\\d{3}$", "1234", false],
		["regex", "colou?r", "the color", true],
	] as const)("(%s %j) against %j is %s", (match_type, expected_output, output, expected) => {
		expect(matches({ match_type, expected_output }, output)).toBe(expected);
	});

	it("cannot be made to hang by a pattern that explodes elsewhere", () => {
		expect(matches({ match_type: "regex", expected_output: "^(a+)+$" }, `${"a".repeat(50_000)}!`)).toBe(false);
	});

	it.each(["(", "a**", "(?=a)", "\\1"])("takes no pattern %s, and says why", (pattern) => {
		expect(findPatternFault(pattern)).toEqual(expect.any(String));
	});

	it("takes the usual patterns", () => {
		expect(findPatternFault("^(?i)total: [0-9]+(\\.[0-9]+)?$")).toBeNull();
	});

	it("shows the beginning of what came out", () => {
		const result = judgeCase({ name: "n", input: "", expected_output: "x", match_type: "exact" }, "y".repeat(5_000));
		expect(result).toMatchObject({ name: "n", passed: false, score: 0, max_score: 1 });
		expect(result.output).toHaveLength(1_000);
	});

	it("shows no control characters, which would be six times as long on their way", () => {
		const result = judgeCase({ name: "n", input: "", expected_output: "\u0001a\tb\n\u007f", match_type: "contains" }, "\u0001a\tb\n\u007f");
		expect(result).toMatchObject({ passed: true, output: "\uFFFDa\tb\n\uFFFD" });
	});

	it("looks for a pattern at the beginning of what came out, however much that is", () => {
		const pattern = { name: "n", input: "", expected_output: "(?:.*x){50}[yz]!", match_type: "regex" } as const;
		expect(judgeCase(pattern, `${"xy".repeat(100)}!${"xy".repeat(3_000_000)}`).passed).toBe(true);
		expect(judgeCase(pattern, `${"xy".repeat(3_000_000)}!`).passed).toBe(false);
	});
});

describe("a suite", () => {
	it.each([
		[[], 0],
		[[true], 100],
		[[true, false, false], 100 / 3],
	] as const)("of %j scores %d", (passed, score) => {
		expect(shareOfPassed(passed.map((one) => ({ passed: one })))).toBe(score);
	});

	it("is one list of cases", () => {
		const one = { name: "a", input: "", expected_output: "", match_type: "exact" };
		expect(testSuite.safeParse({ test_cases: [one] }).success).toBe(true);
		expect(testSuite.safeParse({ test_cases: [] }).success).toBe(false);
		expect(testSuite.safeParse({ test_cases: [{ ...one, match_type: "glob" }] }).success).toBe(false);
	});
});
