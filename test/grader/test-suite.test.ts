import { afterEach, describe, expect, it, vi } from "vitest";
import { findPatternFault } from "../../grader/patterns.ts";
import { contains, findSuiteFault, judgeCase, matches, shareOfPassed } from "../../grader/test-suite.ts";
import { type TestCase, testSuite } from "../../src/ports/grading.ts";

const whole = (text: string) => ({ text, isCut: false });
const testCase = (change: Partial<TestCase>): TestCase => ({
	name: "n",
	input: "",
	expected_output: "x",
	match_type: "exact",
	public: false,
	...change,
});

afterEach(() => {
	vi.restoreAllMocks();
});

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
	] as const)("(%s %j) against %j is %s", async (match_type, expected_output, output, expected) => {
		expect(await matches({ match_type, expected_output }, whole(output))).toBe(expected);
	});

	it.each(["contains", "regex"] as const)(
		"(%s) compares four times the expected length and 1 KB, and fails a longer output",
		async (match_type) => {
			const expected_output = "12345";
			const around = (bytes: number) => whole(`12345${" ".repeat(bytes - 5)}`);
			expect(await matches({ match_type, expected_output }, around(4 * 5 + 1_024))).toBe(true);
			expect(await matches({ match_type, expected_output }, around(4 * 5 + 1_025))).toBe(false);
		},
	);

	it.each(["contains", "regex"] as const)("(%s) does not accept an output with all numbers", async (match_type) => {
		const every = whole(Array.from({ length: 10_000 }, (_, number) => number).join("\n"));
		expect(await matches({ match_type, expected_output: "4711" }, every)).toBe(false);
	});

	it.each(["exact", "contains", "regex"] as const)("(%s) fails if there was more output than is kept", async (match_type) => {
		expect(await matches({ match_type, expected_output: "x" }, { text: "x", isCut: true })).toBe(false);
	});

	it("does not hang for a pattern that explodes elsewhere", async () => {
		const expected_output = `^(a+)+$${"|b".repeat(4_000)}`;
		expect(await matches({ match_type: "regex", expected_output }, whole(`${"a".repeat(30_000)}!`))).toBe(false);
	});

	it("does not match if its pattern takes too long, and delays nothing else", async () => {
		const expected_output = `${"(?:[ab]{0,1000})".repeat(60)}[cd]`;
		let ticks = 0;
		const timer = setInterval(() => {
			ticks += 1;
		}, 100);
		expect(await matches({ match_type: "regex", expected_output }, whole("ab".repeat(2_000)))).toBe(false);
		clearInterval(timer);
		expect(ticks).toBeGreaterThan(10);
	});

	it.each(["(", "a**", "(?=a)", "\\1"])("refuses the pattern %s, and says why", (pattern) => {
		expect(findPatternFault(pattern)).toEqual(expect.any(String));
	});

	it("accepts the usual patterns", () => {
		expect(findPatternFault("^(?i)total: [0-9]+(\\.[0-9]+)?$")).toBeNull();
	});

	it("shows the beginning of its input and output", async () => {
		const result = await judgeCase(testCase({ input: "i".repeat(2_000), public: true }), whole("y".repeat(5_000)));
		expect(result).toEqual({
			name: "n",
			passed: false,
			score: 0,
			max_score: 1,
			public: true,
			input: "i".repeat(1_000),
			output: "y".repeat(1_000),
		});
	});

	it("shows no control characters, because JSON makes each six characters long", async () => {
		const text = "\u0001a\tb\n\u007f";
		const result = await judgeCase(testCase({ expected_output: text, match_type: "contains" }), whole(text));
		expect(result).toMatchObject({ passed: true, output: "\uFFFDa\tb\n\uFFFD" });
	});
});

describe("the search for a part", () => {
	it.each([
		["", "", true],
		["aab", "aaab", true],
		["aab", "aaaa", false],
		["abab", "abaabab", true],
		["\ud83d\ude00", "x\ud83d\ude00", true],
	])("finds what includes() finds: %j in %j", (part, text, expected) => {
		expect(contains(text, part)).toBe(expected);
		expect(text.includes(part)).toBe(expected);
	});

	it("takes linear steps, also for texts on which other algorithms are quadratic", () => {
		const steps = (size: number) => {
			const read = vi.spyOn(String.prototype, "charCodeAt");
			contains("a".repeat(4 * size), `${"a".repeat(size / 2)}b${"a".repeat(size / 2)}`);
			const { length } = read.mock.calls;
			read.mockRestore();
			return length;
		};
		const [small, large] = [steps(1_000), steps(4_000)];
		expect(large / small).toBeGreaterThan(3.5);
		expect(large / small).toBeLessThan(4.5);
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

	it("is one list of cases, hidden unless they are public", () => {
		const one = { name: "a", input: "", expected_output: "", match_type: "exact" };
		expect(testSuite.parse({ test_cases: [one] }).test_cases[0]?.public).toBe(false);
		expect(testSuite.parse({ test_cases: [{ ...one, public: true }] }).test_cases[0]?.public).toBe(true);
		expect(testSuite.safeParse({ test_cases: [] }).success).toBe(false);
		expect(testSuite.safeParse({ test_cases: [{ ...one, match_type: "glob" }] }).success).toBe(false);
		expect(testSuite.safeParse({ test_cases: [{ ...one, public: "yes" }] }).success).toBe(false);
	});

	it("is refused for an invalid pattern, without repeating the pattern", async () => {
		const cases = [
			testCase({ name: "fine", match_type: "regex", expected_output: "a+" }),
			testCase({ name: "open", match_type: "regex", expected_output: "sec(ret" }),
		];
		const fault = await findSuiteFault(cases);
		expect(fault).toContain('"open"');
		expect(fault).not.toContain("sec");
		expect(await findSuiteFault(cases.slice(0, 1))).toBeNull();
	});

	it("is refused for patterns that take too long to parse", async () => {
		const pattern = "(?:a{0,1000})".repeat(100);
		const cases = Array.from({ length: 100 }, () => testCase({ match_type: "regex", expected_output: pattern }));
		expect(await findSuiteFault(cases)).toMatch(/too long to read/);
	});
});
