// Tests the skill for agents: every command of it, one after the other, as an agent that follows it literally runs them.
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import * as z from "zod";
import { openTask, registerCaller } from "../support/http.ts";
import { type PageRun, runPage } from "../support/sample-runner.ts";
import { isShell, type Page, parsePage, type Sample } from "../support/samples.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const WORK = {
	"main.js": "// quotes, delimiter, newline\nexport const parser = (text) => text.split(',');\n",
	"SUBMISSION.md":
		"# What I Built\nA parser\n# How To Run\nnode\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nNo\n",
};

/** An agent reads at most this many tokens from the URL to a score, besides the texts of its task. */
const MAX_TOKENS = 4_500;

let server: RunningServer;
let page: Page;
let source = "";

beforeAll(async () => {
	server = await startServer();
	source = await (await fetch(`${server.url}/skill.md`)).text();
	page = parsePage("skill.md", source);
});
afterAll(() => server?.close());

/** Runs the samples, and fails with the output of a sample that fails. */
async function run(samples: readonly Sample[], caller: number): Promise<PageRun["results"]> {
	const { failed, note, results } = await runPage({ ...page, samples }, { values: {}, engine: null, caller, canUse: () => true });
	if (failed !== null) {
		const statuses = failed.exchanges.map(({ status }) => status).join(", ");
		throw new Error(`${note}, statuses ${statuses}\n${failed.sample.code}\n${failed.stdout}\n${failed.stderr}`);
	}
	return results;
}

function tokensOf(text: string): number {
	return Math.ceil(text.length / 4);
}

function requestsOf(results: PageRun["results"]): string[] {
	const exchanges = results.flatMap((each) => each.exchanges);
	return exchanges.map(({ method, url }) => `${method} ${new URL(url).pathname.replace(/[0-9a-f-]{36}/g, "{id}")}`);
}

it("the skill has a name, and a description that says when to use it", () => {
	const { name, description } = z.strictObject({ name: z.string(), description: z.string() }).parse(parseYaml(page.frontmatter));
	expect({ name, mentions: description.includes(server.url) }).toEqual({ name: "bounty-platform", mentions: true });
});

it("the skill runs unchanged without a wallet, a published task, a webhook or a submission", async () => {
	await openTask(await registerCaller(server), { title: "Parse" });
	const results = await run(page.samples, 1);
	expect(results).toHaveLength(page.samples.filter(isShell).length);
	expect(requestsOf(results)).toEqual([
		"POST /api/v1/agent/register-anonymous",
		"GET /api/v1/tasks",
		"GET /api/v1/tasks/{id}",
		"GET /api/tasks/{id}/attachments",
	]);
	expect(results.map(({ stdout }) => stdout).join("")).toContain("Write submission.json");
});

it("the skill's recipes have no command that sets a wallet, publishes or subscribes", () => {
	for (const { code } of page.samples) expect(code).not.toMatch(/wallet|publish|webhook|deals|0x[0-9a-f]{6}/i);
	const recipes = source.slice(source.indexOf("## Recipes"));
	expect(recipes).not.toContain("```");
	for (const page of ["concepts/wallets", "concepts/deals", "guides/webhooks", "quickstart/posters"]) {
		expect(recipes).toMatch(new RegExp(`/docs/${page}\\.md\` \\(\\d+ KB\\)`));
	}
});

it("the skill leads from a written submission to its score, with one slot for repeated runs", async () => {
	const written: Sample = { language: "json", meta: { file: "submission.json" }, code: JSON.stringify({ files: WORK }), line: 0 };
	const results = await run([written, ...page.samples, ...page.samples], 2);
	const requests = requestsOf(results);
	expect(requests.filter((request) => request === "POST /api/v1/agent/register-anonymous")).toHaveLength(1);
	expect(requests.filter((request) => request.endsWith("/quick-submit"))).toHaveLength(2);
	const outputOf = (mark: string) => results.findLast(({ sample }) => sample.code.includes(mark))?.stdout ?? "";
	expect(outputOf("cat poll.json")).toContain('"evaluated":true');
	const [submission, board] = outputOf("fields=me").split(/(?<=\})(?=\{"me")/);
	const dimension = z.object({ score: z.number(), reasoning: z.string(), weight: z.number(), potential_points: z.number() });
	const result = z.object({ evaluated: z.literal(true), dimensions: z.array(dimension).min(1), quota: z.object({ used: z.literal(1) }) });
	result.parse(JSON.parse(submission ?? ""));
	expect(JSON.parse(board ?? "")).toEqual({ me: expect.objectContaining({ rank: 1, finalScore: expect.any(Number) }) });
});

it("the skill leads from the URL to a score with few tokens to read", async () => {
	const written: Sample = { language: "json", meta: { file: "submission.json" }, code: JSON.stringify({ files: WORK }), line: 0 };
	const home = await (await fetch(server.url, { headers: { Accept: "application/json" } })).text();
	const results = await run([written, ...page.samples], 3);
	const printed = results.map(({ stdout }) => stdout).join("");
	expect(printed).toContain('"evaluated":true');
	// Four characters are about one token. The agent reads the home page, the skill, and what the commands print.
	const tokens = { home: tokensOf(home), skill: tokensOf(source), printed: tokensOf(printed) };
	const total = tokens.home + tokens.skill + tokens.printed;
	expect({ ...tokens, isFew: total <= MAX_TOKENS }).toEqual({ ...tokens, isFew: true });
});
