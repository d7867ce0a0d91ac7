import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mount, RunEnd } from "../../grader/engine/port.ts";
import { concludeRun } from "../../grader/outcome.ts";
import { readScore } from "../../grader/results.ts";
import { SCORE_FORMATS } from "../../grader/scores/formats.ts";
import { ScoreFault } from "../../grader/scores/report.ts";
import { gradingResult } from "../../src/ports/grading.ts";

const TASK = {
	id: "t1",
	criteria: [
		{ name: "Speed", description: null, weight: 75 },
		{ name: "Style", description: "Reads well", weight: 25 },
	],
};

const TARGETS = ["/results", "/autograder/results", "/app/output", "/logs/verifier", "/output"];

let root = "";
let mounts: Mount[] = [];

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "grader-scores-"));
	mounts = TARGETS.map((target) => ({ target, folder: join(root, target) }));
	for (const { folder } of mounts) await mkdir(folder, { recursive: true });
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function write(path: string, content: string | Uint8Array): Promise<void> {
	await mkdir(dirname(join(root, path)), { recursive: true });
	await writeFile(join(root, path), content);
}

const OWN = "/results/score.json";

async function scoreOf(files: Readonly<Record<string, unknown>>): Promise<number | undefined> {
	for (const [path, content] of Object.entries(files)) await write(path, typeof content === "string" ? content : JSON.stringify(content));
	return (await readScore(mounts, TASK))?.score;
}

it("a score of 100 stays 100 where the sum of the weights or the points is not exact", async () => {
	const criteria = [0.01, 34.2, 65.79].map((weight, index) => ({ name: `c${index}`, description: null, weight }));
	await write(OWN, JSON.stringify({ dimensions: criteria.map(({ name }) => ({ criterion: name, score: 100 })) }));
	expect((await readScore(mounts, { id: "t1", criteria }))?.score).toBe(100);
	await rm(join(root, OWN));
	const tests = [0.3, 0.2, 0.1].map((max_score) => ({ max_score }));
	expect(await scoreOf({ "/autograder/results/results.json": { score: 0.1 + 0.2 + 0.3, tests } })).toBe(100);
});

describe("a score file", () => {
	it.each([
		["a score", OWN, { score: 61.5 }, 61.5],
		["a score of 0", OWN, { score: 0 }, 0],
		["a test_score", OWN, { test_score: 100 }, 100],
		["both, equal", OWN, { score: 7, test_score: 7 }, 7],
		[
			"dimensions, by the task's weights",
			OWN,
			{
				dimensions: [
					{ criterion: "Style", score: 100 },
					{ criterion: "Speed", score: 20 },
				],
			},
			40,
		],
		[
			"Gradescope's score out of its tests",
			"/autograder/results/results.json",
			{ score: 3, tests: [{ max_score: 4 }, { max_score: 2 }] },
			50,
		],
		[
			"Gradescope's tests",
			"/autograder/results/results.json",
			{
				tests: [
					{ score: 1, max_score: 1 },
					{ score: 0, max_score: 3 },
				],
			},
			25,
		],
		["Gradescope's score alone", "/autograder/results/results.json", { score: 88 }, 88],
		["Codabench's only score", "/app/output/scores.json", { accuracy: 93 }, 93],
		["Codabench's score among others", "/app/output/scores.json", { accuracy: 1, score: 42 }, 42],
		["Harbor's reward", "/logs/verifier/reward.json", { reward: 0.25 }, 25],
		["Harbor's reward beside the same score", "/logs/verifier/reward.json", { reward: 0.25, score: 25, seconds: 3 }, 25],
		["Harbor's reward as text", "/logs/verifier/reward.txt", "1\n", 100],
		["metrics", "/output/metrics.json", { score: 12.5, note: "x" }, 12.5],
	])("with %s is read", async (_, path, content, expected) => {
		expect(await scoreOf({ [path]: content })).toBe(expected);
	});

	it("may contain tests, output and notes", async () => {
		await write(
			OWN,
			JSON.stringify({ score: 50, tests: [{ name: "a", passed: true, score: 1 }], output: "log", notes: "n", breakdown: { a: 1 } }),
		);
		expect(await readScore(mounts, TASK)).toEqual({
			score: 50,
			dimensions: [],
			tests: [{ name: "a", passed: true, score: 1, max_score: null, output: "", public: null, input: null }],
			breakdown: { a: 1 },
			output: "log",
			notes: "n",
		});
	});

	it.each([
		["broken JSON", OWN, "{", /not valid JSON/],
		["NaN", OWN, '{"score": NaN}', /NaN/],
		["a number too large for numbers", OWN, '{"score": 1e999}', /score/],
		["a score as text", OWN, { score: "100" }, /score/],
		["a score above 100", OWN, { score: 100.01 }, /from 0 to 100/],
		["a score below 0", OWN, { score: -1 }, /from 0 to 100/],
		["no score", OWN, { notes: "done" }, /has none of/],
		["two scores", OWN, { score: 1, test_score: 2 }, /differ/],
		[
			"a score and dimensions",
			OWN,
			{
				score: 1,
				dimensions: [
					{ criterion: "Speed", score: 1 },
					{ criterion: "Style", score: 1 },
				],
			},
			/both/,
		],
		["an unknown criterion", OWN, { dimensions: [{ criterion: "Sped", score: 1 }] }, /not a criterion/],
		["a criterion left out", OWN, { dimensions: [{ criterion: "Speed", score: 1 }] }, /leave out the criterion "Style"/],
		[
			"a criterion twice",
			OWN,
			{
				dimensions: [
					{ criterion: "Speed", score: 1 },
					{ criterion: "Speed", score: 1 },
				],
			},
			/twice/,
		],
		[
			"a criterion out of range",
			OWN,
			{
				dimensions: [
					{ criterion: "Speed", score: 101 },
					{ criterion: "Style", score: 1 },
				],
			},
			/from 0 to 100/,
		],
		["a key twice", OWN, '{"score": 10, "score": 100}', /the key "score" twice/],
		["a key twice, once in another spelling", OWN, '{"score": 10, "\\u0073core": 100}', /the key "score" twice/],
		["a key twice, deep inside", OWN, '{"score": 10, "breakdown": {"a": [{"b": 1, "b": 2}]}}', /the key "b" twice/],
		["a key twice in a test", OWN, '{"score": 10, "tests": [{"name": "a", "passed": false, "passed": true}]}', /the key "passed" twice/],
		["Gradescope's score twice", "/autograder/results/results.json", '{"score": 1, "score": 99}', /the key "score" twice/],
		["Codabench's score twice", "/app/output/scores.json", '{"score": 1, "score": 99}', /the key "score" twice/],
		["a reward twice", "/logs/verifier/reward.json", '{"reward": 0, "reward": 1}', /the key "reward" twice/],
		["metrics twice", "/output/metrics.json", '{"score": 1, "score": 99}', /the key "score" twice/],
		["a list", OWN, [], /expected object/],
		["more points than there are", "/autograder/results/results.json", { score: 5, tests: [{ max_score: 4 }] }, /from 0 to 100/],
		["tests without scores", "/autograder/results/results.json", { tests: [{ name: "a" }] }, /neither a score/],
		["several metrics and no score", "/app/output/scores.json", { a: 1, b: 2 }, /several others/],
		["no metric", "/output/metrics.json", { a: "1" }, /no other number/],
		["a reward beside another score", "/logs/verifier/reward.json", { reward: 1, score: 0 }, /the reward is 1, and score is 0/],
		["a reward above 1", "/logs/verifier/reward.txt", "1.5", /from 0 to 1/],
		["a reward that is no number", "/logs/verifier/reward.txt", "1 2", /one number/],
		["an infinite reward", "/logs/verifier/reward.txt", "Infinity", /one number/],
	])("with %s is refused, and the message names it", async (_, path, content, message) => {
		const error: unknown = await scoreOf({ [path]: content }).catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(ScoreFault);
		expect(String(error)).toMatch(message);
		expect(String(error)).toContain(path);
	});

	it("may use a key in two objects, and contain text that looks like a key", async () => {
		expect(
			await scoreOf({ [OWN]: '{"score": 5, "notes": "\\"score\\": 9, \\"score\\": 9", "breakdown": {"a": {"b": 1}, "c": {"b": 1}}}' }),
		).toBe(5);
	});

	it("only throws a ScoreFault, for any content, and its score is within 0 to 100", () => {
		fc.assert(
			fc.property(fc.json(), fc.constantFrom(...SCORE_FORMATS), (text, { parse }) => {
				try {
					const { score } = parse(text, TASK);
					expect(score >= 0 && score <= 100).toBe(true);
				} catch (error) {
					expect(error).toBeInstanceOf(ScoreFault);
				}
			}),
		);
	});
});

describe("the places for scores", () => {
	it("may all be empty", async () => {
		expect(await readScore(mounts, TASK)).toBeNull();
	});

	it("may agree", async () => {
		expect(await scoreOf({ [OWN]: { score: 50 }, "/logs/verifier/reward.txt": "0.5" })).toBe(50);
	});

	it("must agree, because none of them has priority", async () => {
		await expect(scoreOf({ [OWN]: { score: 90 }, "/output/metrics.json": { score: 10 } })).rejects.toThrow(/says 90 and .* says 10/);
	});

	it("must all be valid, even if one of them would suffice", async () => {
		await expect(scoreOf({ [OWN]: { score: 90 }, "/output/metrics.json": "{" })).rejects.toThrow(ScoreFault);
	});
});

describe("a score file that is not a plain file", () => {
	it("is refused as a link, to a file inside or outside", async () => {
		await write("/results/real.json", '{"score": 100}');
		await symlink("real.json", join(root, OWN));
		await expect(readScore(mounts, TASK)).rejects.toThrow(/link/);
		await rm(join(root, OWN));
		await symlink("/etc/passwd", join(root, OWN));
		await expect(readScore(mounts, TASK)).rejects.toThrow(/link/);
	});

	it("is refused as a dangling link", async () => {
		await symlink("nowhere", join(root, OWN));
		await expect(readScore(mounts, TASK)).rejects.toThrow(/link/);
	});

	it("is refused as a folder", async () => {
		await mkdir(join(root, OWN));
		await expect(readScore(mounts, TASK)).rejects.toThrow(/not a regular file/);
	});

	it("is refused as a pipe, without waiting for a writer", async () => {
		execFileSync("mkfifo", [join(root, OWN)]);
		await expect(readScore(mounts, TASK)).rejects.toThrow(/not a regular file/);
	});

	it("is refused above 1 MB, and read up to it", async () => {
		await write(OWN, JSON.stringify({ score: 5, notes: "x".repeat(5 * 1_048_576) }));
		await expect(readScore(mounts, TASK)).rejects.toThrow(/at most 1 MB/);
		const padding = 1_048_576 - JSON.stringify({ score: 5, notes: "" }).length;
		expect(await scoreOf({ [OWN]: { score: 5, notes: "x".repeat(padding) } })).toBe(5);
	});

	it("is rejected with more than 10,000 tests, because the platform could not read the result", async () => {
		const reports = {
			"/autograder/results/results.json": (tests: number) => `{"score": 100, "tests": [${Array(tests).fill("{}").join()}]}`,
			"/results/junit.xml": (tests: number) => `<testsuite>${"<testcase name='a'/>".repeat(tests)}</testsuite>`,
		};
		for (const [path, report] of Object.entries(reports)) {
			expect(await scoreOf({ [path]: report(10_000) })).toBe(100);
			await expect(scoreOf({ [path]: report(10_001) })).rejects.toThrow(`${path}: reports more than 10000 tests.`);
			await rm(join(root, path));
		}
	});

	it("is refused if it is nested too deeply to be written again", async () => {
		const nested = (depth: number) => ({
			[OWN]: `{"score": 5, "notes": "[[[{{{\\"[[", "breakdown": {"a": ${"[".repeat(depth)}${"]".repeat(depth)}}}`,
		});
		expect(await scoreOf(nested(50))).toBe(5);
		await expect(scoreOf(nested(70))).rejects.toThrow(/nested/);
		await expect(scoreOf(nested(400_000))).rejects.toThrow(/nested/);
	});

	it("is refused when it is not UTF-8", async () => {
		await write(OWN, new Uint8Array([0x7b, 0xff, 0x7d]));
		await expect(readScore(mounts, TASK)).rejects.toThrow(/not UTF-8/);
	});
});

describe("the end of a run", () => {
	const LIMITS = { memory_mb: 512, timeout_s: 600 };
	const ended: RunEnd = {
		exitCode: 0,
		isTimedOut: false,
		isOutOfMemory: false,
		isDiskFull: false,
		output: "said",
		imageDigest: "sha256:ab",
	};
	const report = { score: 70, dimensions: [], tests: [], breakdown: null, output: "", notes: "" };

	it.each([
		["exit 0 and a score", ended, "graded", 70],
		["exit 64", { ...ended, exitCode: 64 }, "submission_invalid", 0],
		["exit 65", { ...ended, exitCode: 65 }, "submission_invalid", 0],
		["exit 75", { ...ended, exitCode: 75 }, "grader_error", null],
		["exit 75 after its memory", { ...ended, exitCode: 75, isOutOfMemory: true }, "grader_error", null],
		["exit 1", { ...ended, exitCode: 1 }, "grader_error", null],
		["exit 137 by the image itself", { ...ended, exitCode: 137 }, "grader_error", null],
		["no exit code", { ...ended, exitCode: null }, "grader_error", null],
		["its time over", { ...ended, exitCode: 137, isTimedOut: true }, "grader_timeout", null],
		["its memory over", { ...ended, exitCode: 137, isOutOfMemory: true }, "grader_oom", null],
		["time and memory over", { ...ended, exitCode: null, isTimedOut: true, isOutOfMemory: true }, "grader_timeout", null],
		["a submission's memory over, which the image survives and scores", { ...ended, isOutOfMemory: true }, "graded", 70],
		["a submission's memory over, which the image calls invalid", { ...ended, exitCode: 64, isOutOfMemory: true }, "submission_invalid", 0],
		["a result folder full", { ...ended, exitCode: 1, isDiskFull: true }, "grader_error", null],
		["a result folder full and a score in it", { ...ended, isDiskFull: true }, "grader_error", null],
	] as const)("with %s is %s", async (_, end, outcome, score) => {
		const result = gradingResult.parse(await concludeRun(end, LIMITS, async () => report));
		expect(result).toMatchObject({ outcome, test_score: score, container_score: score, output: "said", image_digest: "sha256:ab" });
		expect(result.message === "").toBe(outcome === "graded");
	});

	it("without a score is a separate outcome", async () => {
		expect(await concludeRun(ended, LIMITS, async () => null)).toMatchObject({ outcome: "grader_no_result", test_score: null });
	});

	it("with an invalid score says why", async () => {
		const result = await concludeRun(ended, LIMITS, () => Promise.reject(new ScoreFault("/results/score.json: score is 101.")));
		expect(result).toMatchObject({ outcome: "grader_error", test_score: null });
		expect(result.message).toContain("score is 101");
	});

	it("ignores the score of a run that failed", async () => {
		const read = () => Promise.reject(new Error("must not be asked"));
		expect(await concludeRun({ ...ended, exitCode: 1 }, LIMITS, read)).toMatchObject({ outcome: "grader_error" });
	});

	it("keeps the last 4 KB of the output", async () => {
		const result = await concludeRun({ ...ended, exitCode: 1, output: `${"x".repeat(9_000)}the end` }, LIMITS, async () => null);
		expect(result.output).toHaveLength(4_096);
		expect(result.output.endsWith("the end")).toBe(true);
	});
});
