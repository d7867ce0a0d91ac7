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
	await mkdir(join(folder, "refused", "task", "only", "work"), { recursive: true });
	await writeFile(join(folder, "refused", "task", "rubric.json"), JSON.stringify([{ name: "Parser", weight: 100, checks: ["It parses"] }]));
	await writeFile(join(folder, "refused", "task", "only", "answers.json"), JSON.stringify({ Parser: { "It parses": "no" } }));
	await writeFile(join(folder, "refused", "task", "only", "work", "parser.js"), "export const parse = null;\n");
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
		const { script, variables } = await modelJudge([{ contains: "Name: Tests\n", steps: [honest("no")] }, { steps: [honest()] }]);
		const { code, stdout } = await judge(["work", "--rubric", "rubric.json", "--samples", "2"], variables);
		expect(code).toBe(0);
		expect(stdout).toContain("100.00  Parser (weight 60, from 100, 100)");
		expect(stdout).toContain("src/parser.js:1  // quotes and delimiter");
		expect(stdout).toContain(" 60.00  in all, by the weights");
		expect(stdout).toMatch(/Requests to models: 6, \d+ tokens in, 600 out, 0\.\d{4} USD\./);
		const { calls } = await script.seen();
		expect(calls).toHaveLength(6);
		expect(JSON.stringify(calls)).not.toContain("never submitted");
	});

	it("shows how far scores vary if each criterion is judged several times", async () => {
		const { variables } = await modelJudge([
			{ contains: "Name: Tests\n", steps: [honest("no")] },
			{ steps: [honest("no"), honest(), honest("partly")] },
		]);
		const { code, stdout } = await judge(["work", "--rubric", "rubric.json", "--samples", "3"], variables);
		expect(code).toBe(0);
		expect(stdout).toMatch(/ 50\.00 {2}Parser \(weight 60, from [\d, ]+\)/);
		// The samples give 0, 100 and 50 points, and the weight is 60 %.
		expect(stdout).toContain(" 30.00  spread: the standard deviation of the scores of the samples");
	});

	it("measures the configured judge with the works of the project, and says that counting words is not judging", async () => {
		const { code, stdout, stderr } = await judge(["--calibrate"]);
		expect(code).toBe(1);
		expect(stdout).toMatch(/^offline, all checks per call, not confirmed, prompt \S+: 60 of 60 works judged; 0 calls/);
		expect(stderr).toContain("offline, all checks per call, not confirmed: 60 of 60, token-bucket/stub");
		expect(stdout.trim().split("\n").at(-1)).toMatch(/^offline: not fit to judge: its balanced accuracy is \d\d %/);
	});

	it("judges a zip, and prints JSON when asked", async () => {
		const { variables } = await modelJudge([{ steps: [honest()] }]);
		const { code, stdout } = await judge(["work.zip", "--rubric", "rubric.json", "--json"], variables);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({ llmScore: 100, judge: "openai", breakdown: { files_read: 2, usage: { calls: 4 } } });
	});

	it.each([
		["no arguments", [], /Usage:/],
		["a folder that is not there", ["missing", "--rubric", "rubric.json"], /nothing at/],
		["a rubric that is not there", ["work", "--rubric", "missing.json"], /no file/],
		["a zip without SUBMISSION.md", ["bare.zip", "--rubric", "rubric.json"], /no SUBMISSION\.md/],
		["a file that is no zip", ["rubric.json", "--rubric", "rubric.json"], /not a zip/],
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
		expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("refuses this deployment's key") });
		expect(refused.stderr).not.toMatch(/^\s+at /m);
	});
});
