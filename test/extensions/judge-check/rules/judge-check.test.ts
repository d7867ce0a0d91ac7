// Tests the cases of the judge check as data, and the meaning of their results.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { describe, expect, it } from "vitest";
import { parseFiles } from "../../../../src/core/judging/artifacts/rules.ts";
import { EVAL_MODES, MODES } from "../../../../src/domain/modes.ts";
import { JUDGE_CASES } from "../../../../src/extensions/judge-check/cases.ts";
import { endedCheckWarning, failedCaseWarning, leastOf, limitOf } from "../../../../src/extensions/judge-check/rules.ts";
import { type CheckCase, checkedScore, hasPassed, statusOfCheck } from "../../../../src/fields/judge-check.ts";

const TASK = {
	title: "Parse\nCSV",
	criteria: [
		{ name: "Parser", description: "quotes\nand `delimiters`", checks: ["Reads\nquotes", "Reads `delimiters`"] },
		{ name: "Tests", description: null, checks: ["A test has quotes"] },
	],
};

describe("the cases", () => {
	it("have different names", () => {
		expect(new Set(JUDGE_CASES.map(({ name }) => name)).size).toBe(JUDGE_CASES.length);
	});

	it("are on the page about judging, with the score at which they pass", () => {
		const page = readFileSync("docs/pages/judging/overview.mdx", "utf8");
		for (const { name, expectedAtMost } of JUDGE_CASES) {
			expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\\| ${expectedAtMost} \\|$`, "m"));
		}
	});

	it("are files that quick-submit accepts, and expect less than half of the points", () => {
		for (const { files, expectedAtMost } of JUDGE_CASES) {
			expect(parseFiles(files(TASK)).length).toBeGreaterThan(0);
			expect(expectedAtMost).toBeLessThan(50);
		}
	});

	/** Checks the syntax of a program without running it. */
	const CHECKS: Readonly<Record<string, readonly string[]>> = {
		sh: ["sh", "-n", "-"],
		js: [process.execPath, "--check", "-"],
		json: [process.execPath, "-e", "JSON.parse(require('node:fs').readFileSync(0, 'utf8'))"],
	};

	it("attack with valid programs, because a typing error would pass every check", () => {
		const title = 'It\'s `id` $(id) "quoted" \\';
		const task = { title, criteria: [{ name: title, description: `${title}\nEOF\n'`, checks: [`${title}\nEOF\n'`] }] };
		const programs = JUDGE_CASES.flatMap(({ files }) => Object.entries(files(task))).filter(([path]) => extname(path).slice(1) in CHECKS);
		for (const [path, input] of programs) {
			const [command = "", ...args] = CHECKS[extname(path).slice(1)] ?? [];
			const { status, stderr } = spawnSync(command, args, { input, encoding: "utf8" });
			expect([path, status, stderr]).toEqual([path, 0, ""]);
		}
		expect(new Set(programs.map(([path]) => extname(path)))).toEqual(new Set([".sh", ".js", ".json"]));
	});

	it.each(EVAL_MODES)("are four for a judge, nine for an image in mode %s, and none for an external judge", (mode) => {
		const { usesImage, usesJudge, isExternal } = MODES[mode];
		const count = JUDGE_CASES.filter(({ appliesTo }) => appliesTo(mode)).length;
		expect(count).toBe(isExternal ? 0 : 1 + (usesJudge ? 3 : 0) + (usesImage ? 9 : 0));
	});

	/**
	 * Describes how an image scores a submission that writes `forged` and exits with a code. Null means that there is no score, which counts as passed.
	 */
	const FORGEABLE_IMAGES: Readonly<Record<string, (code: number, forged: number) => number | null>> = {
		"becomes the submission": (code, forged) => (code === 0 ? forged : code === 64 ? 0 : null),
		"ends with the submission's code": (code, forged) => (code === 0 ? forged : null),
		"takes every reserved code for its own": (code, forged) => (code === 0 ? forged : null),
		"reads the submission's file, whatever its code": (_, forged) => forged,
	};

	it.each(Object.keys(FORGEABLE_IMAGES))("detect an image that %s", (image) => {
		const codes = JUDGE_CASES.filter(({ name }) => name.startsWith("grader_attack")).map(({ files, expectedAtMost }) => {
			const programs = Object.entries(files(TASK)).filter(([path]) => /\.(?:sh|py|js)$/.test(path));
			const ends = programs.map(([, text]) => /(?:exit |_exit\(|\.exit\()(\d+)\)?;?\n$/.exec(text)?.[1]);
			expect(programs.every(([, text]) => text.includes("/results/score.json"))).toBe(true);
			expect(new Set(ends).size).toBe(1);
			return { code: Number(ends[0]), expectedAtMost };
		});
		expect(codes.map(({ code }) => code)).toEqual([0, 64, 65, 75, 124, 125, 126, 127, 137]);
		const failed = codes.filter(({ code, expectedAtMost }) => (FORGEABLE_IMAGES[image]?.(code, 100) ?? 0) > expectedAtMost);
		expect(failed[0]?.code).toBe(0);
	});

	it("claim every criterion by name, each in one line", () => {
		for (const one of JUDGE_CASES.filter(({ name }) => ["claims", "injections"].includes(name))) {
			const readme = one.files(TASK)["README.md"] ?? "";
			expect(readme).toMatch(/^- Parser: .*quotes and `delimiters`$/m);
			expect(readme).toMatch(/^- Tests: /m);
			expect(readme).toMatch(/^# Parse CSV$/m);
		}
	});

	it("repeat every check, each in one line, in files that count as work", () => {
		const files = JUDGE_CASES.find(({ name }) => name === "echo")?.files(TASK) ?? {};
		for (const check of ["Reads quotes", "Reads `delimiters`", "A test has quotes"]) {
			expect(files["notes/checks.txt"]?.split("\n")).toContain(check);
			expect(files["src/main.sh"]?.split("\n")).toContain(`# ${check}`);
		}
	});
});

describe("the score that a case may get", () => {
	const rubric = (evidence: readonly ("work" | "any")[], share = 100) => ({
		criteria: evidence.map((one, index) => ({ name: `${index}`, weight: index === 0 ? 60 : 40, checks: ["One"], evidence: one })),
		share,
	});
	const limits = (of: ReturnType<typeof rubric>) => Object.fromEntries(JUDGE_CASES.map((one) => [one.name, limitOf(one, of)]));

	it("is higher for claims where documents prove criteria by right", () => {
		const usual = Object.fromEntries(JUDGE_CASES.map(({ name, expectedAtMost }) => [name, expectedAtMost]));
		expect(limits(rubric(["work", "work"]))).toEqual(usual);
		expect(limits(rubric(["work", "any"]))).toEqual({ ...usual, claims: 58, injections: 58 });
		expect(limits(rubric(["work", "any"], 50))).toEqual({ ...usual, claims: 44, injections: 44 });
		expect(limits(rubric(["any", "any"], 0))).toEqual(usual);
	});

	it("of a reference is the weighted mean of what is expected, less the tolerance or what noise explains", () => {
		const criteria = [
			{ name: "Parser", weight: 60, checks: ["a", "b", "c", "d"], evidence: "work" as const },
			{ name: "Tests", weight: 20, checks: ["a", "b"], evidence: "work" as const },
			{ name: "Docs", weight: 20, checks: ["a"], evidence: "work" as const },
		];
		expect(leastOf({ Parser: 90, Tests: 50 }, { criteria }, 0)).toBe(65);
		expect(leastOf({ Docs: 50 }, { criteria }, 0)).toBe(35);
		// One check in one sample: 100 times the noise, and three of them.
		expect(leastOf({ Docs: 90 }, { criteria }, 0.1)).toBe(60);
		expect(leastOf({ Docs: 50 }, { criteria }, 0.3)).toBe(0);
		// sqrt(0.75² / 4 + 0.25² / 2) is 0.4145.
		expect(leastOf({ Parser: 90, Tests: 50 }, { criteria }, 0.2)).toBeCloseTo(80 - 3 * 20 * 0.4146, 1);
	});

	it("of a reference leaves out criteria without an expected score, also those named like members of every object", () => {
		const criteria = ["Docs", "constructor", "toString"].map((name) => ({ name, weight: 1, checks: ["a"], evidence: "work" as const }));
		expect(leastOf({ Docs: 90 }, { criteria }, 0)).toBe(75);
		const dimensions = criteria.map(({ name, weight }) => ({ criterion: name, weight, score: name === "Docs" ? 90 : 0 }));
		expect(checkedScore({ finalScore: 30, expected: { Docs: 90 }, dimensions })).toBe(90);
	});
});

describe("a result", () => {
	const scored = (finalScore: number): CheckCase => {
		return {
			name: "one",
			status: "completed",
			finalScore,
			expectedAtMost: 20,
			expectedAtLeast: null,
			blame: null,
			expected: null,
			dimensions: null,
			finishedAt: 1,
		};
	};
	const failed = (blame: CheckCase["blame"]): CheckCase => ({ ...scored(0), status: "evaluation_failed", finalScore: null, blame });
	const running: CheckCase = { ...failed(null), status: "running", finishedAt: null };
	const cancelled: CheckCase = { ...failed(null), status: "cancelled" };

	it.each([
		["a score at the limit", scored(20), true],
		["a score above it", scored(20.01), false],
		["a fault of the submission", failed("submission"), true],
		["a fault of the platform", failed("platform"), null],
		["an image that cannot be started", failed("task"), false],
		["a case that is being judged", running, null],
		["a cancelled case", cancelled, null],
	])("of %s", (_, one, passed) => expect(hasPassed(one)).toBe(passed));

	it.each([
		[[], null],
		[[scored(0), running], "running"],
		[[scored(90), running], "running"],
		[[scored(0), scored(20)], "passed"],
		[[scored(0), scored(21)], "failed"],
		[[scored(0), failed("platform")], null],
		[[scored(90), failed("platform")], "failed"],
		[[running, failed("platform")], "running"],
		[[scored(0), cancelled], null],
		[[scored(90), cancelled], "failed"],
	])("of %j together is %s", (cases, status) => expect(statusOfCheck(cases)).toBe(status));

	/** Returns a reference of which the poster expects something on two of three criteria, with its scores by criterion. */
	const reference = (parser: number, tests: number): CheckCase => ({
		...scored(10),
		...{ expectedAtMost: null, expectedAtLeast: 60, expected: { Parser: 90, Tests: 30 } },
		dimensions: [
			{ criterion: "Parser", weight: 60, score: parser },
			{ criterion: "Tests", weight: 20, score: tests },
			{ criterion: "Docs", weight: 20, score: 0 },
		],
	});

	it.each([
		["has what is expected", reference(90, 30), true],
		["has just enough by weight", reference(70, 30), true],
		["has less in all", reference(69, 30), false],
		["has enough on one criterion only", reference(79, 0), false],
		[
			"could not be judged through its own fault",
			{ ...reference(0, 0), status: "evaluation_failed", finalScore: null, blame: "submission" } as const,
			false,
		],
	])("of a reference that %s is right", (_, one, passed) => {
		expect(hasPassed(one)).toBe(passed);
		expect(statusOfCheck([scored(0), one])).toBe(passed ? "passed" : "failed");
	});

	it("of a reference is its score over the criteria that its poster names", () => {
		expect(checkedScore(reference(80, 40))).toBe(70);
		expect(checkedScore({ ...reference(80, 40), finalScore: null })).toBeNull();
		expect(checkedScore(scored(10))).toBe(10);
	});

	it("of a reference tells its poster how much it lacks", () => {
		const warning = failedCaseWarning({ ...reference(40, 40), errorMessage: null }, { score: 40, mode: "hybrid" });
		expect(warning).toContain('The reference "one" got 40 points');
		expect(warning).toContain("At least 60 were expected");
		expect(warning).toContain("Everyone who can see the task can see its judge check.");
	});

	it.each([
		["case one", { ...scored(0), name: "one" }],
		['reference "one"', reference(0, 0)],
	])("of a %s without a score says why, and blames neither scores nor criteria", (subject, one) => {
		const failed = { ...one, finalScore: null, errorMessage: "The image cannot be started." };
		expect(failedCaseWarning(failed, { score: null, mode: "hybrid" })).toBe(
			`The ${subject} of the judge check could not be judged: The image cannot be started. Everyone who can see the task can see its judge check. Correct this in a new task.`,
		);
	});

	it("of a case that the platform could not judge says that nothing is known", () => {
		expect(endedCheckWarning({ name: "empty", errorMessage: "The judge cannot be reached." })).toContain(
			"nothing is known about its judge",
		);
	});

	it.each([
		["llm", "Post a new task, and make the criteria more exact."],
		["container", "Post a new task, and make the image stricter."],
		["hybrid", "Post a new task, and make the criteria more exact or the image stricter."],
	] as const)("of a task of mode %s advises what its poster can change", (mode, advice) => {
		expect(failedCaseWarning({ ...scored(40), errorMessage: null }, { score: 40, mode })).toMatch(new RegExp(` ${advice}$`));
	});
});
