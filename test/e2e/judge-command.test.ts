// Tests the command line that judges a folder or zip, as a user runs it.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandResult, runCommandLine } from "../support/commands.ts";
import { honest, type JudgeRule, scriptJudge } from "../support/judge-script.ts";
import { listen } from "../support/judge-server.ts";

const RUBRIC = {
	title: "Parse CSV",
	criteria: [
		{ name: "Parser", description: "quotes, delimiter", weight: 60 },
		{ name: "Tests", weight: 40 },
	],
};

const encode = (text: string) => new TextEncoder().encode(text);

let folder = "";
let server = { url: "", stop: async () => {} };

beforeAll(async () => {
	server = await listen();
	folder = await mkdtemp(join(tmpdir(), "judge-command-"));
	await mkdir(join(folder, "work", "src"), { recursive: true });
	await mkdir(join(folder, "work", "node_modules", "left-pad"), { recursive: true });
	await writeFile(join(folder, "work", "src", "parser.js"), "// quotes and delimiter\nexport const parse = (text) => text.split(',');\n");
	await writeFile(join(folder, "work", "node_modules", "left-pad", "index.js"), "module.exports = 'never submitted';\n");
	await writeFile(join(folder, "rubric.json"), JSON.stringify(RUBRIC));
	await writeFile(
		join(folder, "work.zip"),
		zipSync({ "SUBMISSION.md": encode("# What I Built\nA parser\n"), "a.js": encode("const parser = 1;\n") }),
	);
	await writeFile(join(folder, "bare.zip"), zipSync({ "a.js": encode("const parser = 1;\n") }));
});

afterAll(async () => {
	await server.stop();
	await rm(folder, { recursive: true, force: true });
});

function judge(args: readonly string[], env: Readonly<Record<string, string>> = { JUDGE: "offline" }): Promise<CommandResult> {
	const paths = args.map((arg) => (/^(work|rubric|bare|missing)/.test(arg) ? join(folder, arg) : arg));
	return runCommandLine([process.execPath, "--js-base-64", "scripts/judge.ts", ...paths], { env });
}

async function modelJudge(rules: readonly JudgeRule[]) {
	const script = await scriptJudge(rules, server.url);
	return {
		script,
		variables: { JUDGE: "openai", JUDGE_BASE_URL: script.baseUrl, JUDGE_API_KEY: "k", JUDGE_MODELS: "m", JUDGE_PRICES: "m=1/1" },
	};
}

describe("npm run judge", () => {
	it("judges a folder with the offline judge, and says so", async () => {
		const { code, stdout } = await judge(["work", "--rubric", "rubric.json"]);
		expect(code).toBe(0);
		expect(stdout).toContain("judged by the offline judge");
		expect(stdout).toMatch(/ {0,2}\d+\.\d\d {2}Parser \(weight 60\)/);
		expect(stdout).toContain("No model was asked.");
	});

	it("judges a folder with the configured models: quotes, weights, samples and cost", async () => {
		const { script, variables } = await modelJudge([{ contains: "Name: Tests\n", steps: [honest(1)] }, { steps: [honest(4)] }]);
		const { code, stdout } = await judge(["work", "--rubric", "rubric.json", "--budget-cents", "100000"], variables);
		expect(code).toBe(0);
		expect(stdout).toContain(" 80.00  Parser (weight 60, median of 80, 80, 80)");
		expect(stdout).toContain("src/parser.js:2  export const parse = (text) => text.split(");
		expect(stdout).toContain(" 56.00  in all, by the weights");
		expect(stdout).toMatch(/Requests to models: 6, \d+ tokens in, 600 out, 0\.\d{4} USD\./);
		const { calls } = await script.seen();
		expect(calls).toHaveLength(6);
		expect(JSON.stringify(calls)).not.toContain("never submitted");
	});

	it("shows how far scores vary if each criterion is judged several times", async () => {
		const { variables } = await modelJudge([{ contains: "Name: Tests\n", steps: [honest(1)] }, { steps: [honest(3), honest(5)] }]);
		const { code, stdout } = await judge(["work", "--rubric", "rubric.json", "--samples", "2"], variables);
		expect(code).toBe(0);
		expect(stdout).toContain(" 80.00  Parser (weight 60, median of 60, 100)");
		// Both samples of the first criterion deviate by 28.28 points, and its weight is 60 %.
		expect(stdout).toContain(" 16.97  spread: the standard deviation of a score with one sample per criterion");
	});

	it("measures the configured judge with the cases of the project", async () => {
		const { code, stdout } = await judge(["--calibrate"]);
		expect(code).toBe(0);
		expect(stdout).toMatch(/^offline, prompt offline-4: kappa 0\.\d\d, .* 0 pairs in the wrong order, 0 of 60 cases failed; 0 calls/);
	});

	it("measures each model separately with labelled cases of a folder", async () => {
		const labelled = join(folder, "labelled", "parser");
		await mkdir(join(labelled, "work"), { recursive: true });
		await writeFile(join(labelled, "work", "parser.js"), "export const parse = (text) => text.split(',');\n");
		await writeFile(join(labelled, "rubric.json"), JSON.stringify(RUBRIC));
		await writeFile(join(labelled, "levels.json"), JSON.stringify({ Parser: 4, Tests: 0 }));
		const { variables } = await modelJudge([{ contains: "Name: Tests\n", steps: [honest(0)] }, { steps: [honest(4)] }]);
		const { code, stdout } = await judge(["--calibrate", join(folder, "labelled"), "--json"], { ...variables, JUDGE_MODELS: "m,n" });
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject([
			{ models: ["m"], cases: 1, failed: [], kappa: 1, meanAbsoluteError: 0, calls: 2 },
			{ models: ["n"], cases: 1, failed: [], kappa: 1, meanAbsoluteError: 0, calls: 2 },
		]);
		const faultOf = async () => (await judge(["--calibrate", join(folder, "labelled")])).stderr;
		// A misspelled criterion would otherwise leave the case out of the figures.
		await writeFile(join(labelled, "levels.json"), JSON.stringify({ Parse: 4, Tests: 0 }));
		expect(await faultOf()).toContain("parser/levels.json must have a level from 0 to 5 for each criterion");
		await rm(join(labelled, "levels.json"));
		expect(await faultOf()).toContain("no file");
		await rm(join(labelled, "work", "parser.js"));
		expect(await faultOf()).toContain("parser/work has no files to submit.");
	});

	it("gives no figures for a model that refuses every case, but the reason, and fails", async () => {
		const { variables } = await modelJudge([{ steps: [{ kind: "status", status: 401 }] }]);
		const { code, stdout } = await judge(["--calibrate"], variables);
		expect(code).toBe(1);
		expect(stdout).toMatch(/^m, prompt \S+: 60 of 60 cases failed; 0 calls/);
		expect(stdout).toContain("failed: code-durations/strong: The judge refused this deployment's credentials.");
	});

	it("judges a zip, and prints JSON when asked", async () => {
		const { variables } = await modelJudge([{ steps: [honest(5)] }]);
		const { code, stdout } = await judge(["work.zip", "--rubric", "rubric.json", "--json"], variables);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({ llmScore: 100, judge: "openai", breakdown: { files_read: 2, usage: { calls: 2 } } });
	});

	it.each([
		["no arguments", [], /Usage:/],
		["a folder that is not there", ["missing", "--rubric", "rubric.json"], /nothing at/],
		["a rubric that is not there", ["work", "--rubric", "missing.json"], /no file/],
		["a zip without SUBMISSION.md", ["bare.zip", "--rubric", "rubric.json"], /no SUBMISSION\.md/],
		["a file that is no zip", ["rubric.json", "--rubric", "rubric.json"], /not a zip/],
		["a budget that is no number", ["work", "--rubric", "rubric.json", "--budget-cents", "much"], /whole number/],
		["a number of samples that is none", ["work", "--rubric", "rubric.json", "--samples", "0"], /from 1 to 15/],
		["an unknown option", ["work", "--rubrik", "rubric.json"], /Unknown option/],
	] as const)("explains %s", async (_, args, message) => {
		const { code, stderr } = await judge(args);
		expect(code).toBe(1);
		expect(stderr).toMatch(message);
		expect(stderr).not.toMatch(/^\s+at /m);
	});

	it("explains a rubric whose weights do not sum to 100", async () => {
		await writeFile(join(folder, "rubric-90.json"), JSON.stringify([{ name: "Parser", weight: 90 }]));
		const { code, stderr } = await judge(["work", "--rubric", "rubric-90.json"]);
		expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("sum to 100") });
	});

	it("explains a judge whose configuration is incomplete, and one that refuses", async () => {
		const incomplete = await judge(["work", "--rubric", "rubric.json"], { JUDGE: "openai" });
		expect(incomplete).toMatchObject({ code: 1, stderr: expect.stringContaining("JUDGE_API_KEY is required") });
		const { variables } = await modelJudge([{ steps: [{ kind: "status", status: 401 }] }]);
		const refused = await judge(["work", "--rubric", "rubric.json"], variables);
		expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("refused this deployment's credentials") });
		expect(refused.stderr).not.toMatch(/^\s+at /m);
	});
});
