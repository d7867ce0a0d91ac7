// Everything that the documentation tells readers to run is run here, and answers what the documentation says.
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { isCommand, isRunnable, type PageRun, runPage, type SampleResult, type Tool, toolsOf } from "../support/sample-runner.ts";
import { generalize, generalizeJson, isShell, type Page, readPages, type Sample } from "../support/samples.ts";
import { type RunningServer, startServer } from "../support/server.ts";

/** Why a sample is not run. Whoever adds a reason has looked for a way to run it. */
const SKIP_REASONS = ["runs until you stop it", "needs a Cloudflare account", "needs a model's key"];
const LANGUAGES = ["sh", "ts", "js", "python", "json", "toml", "dockerfile", "markdown", "text", "http"];
const META = ["skip", "expect", "file", "output", "needs", "cwd"];

const pages = readPages();
const withSamples = pages.filter(({ samples }) => samples.some(isRunnable));
const available: Readonly<Record<Tool, boolean>> = {
	python3: isCommand("python3", "--version"),
	engine: isCommand("podman", "info") || isCommand("docker", "info"),
};

describe("the samples of", () => {
	let server: RunningServer;
	let verifiedKey: string;
	beforeAll(async () => {
		server = await startServer();
		verifiedKey = await makeVerifiedKey(server);
	});
	afterAll(() => server?.close());

	it.concurrent.each(withSamples.map((page, index) => [page.slug, page, index + 1] as const))("%s", async (_, page, caller) => {
		const run = await runPage(page, { url: server.url, verifiedKey, caller, canUse: (tool) => available[tool] });
		if (run.failed !== null) throw new Error(describeFailure(page, run.failed, run));
		expect(run.results.length).toBeGreaterThan(0);
		for (const result of run.results) assertOutput(page, result);
	});

	for (const page of withSamples) {
		const missing = [...new Set(page.samples.flatMap(toolsOf))].filter((tool) => !available[tool]);
		for (const tool of missing) it.skip(`${page.slug}, as far as they need ${tool}, which this machine lacks`);
	}
});

/** A key as a human gets it who has signed in. */
async function makeVerifiedKey(server: RunningServer): Promise<string> {
	const answer = await fetch(`${server.url}/api/v1/agent/register-anonymous`, { method: "POST" });
	const { agent_id, api_key } = z.object({ agent_id: z.uuid(), api_key: z.string() }).parse(await answer.json());
	await server.query("update agents set tier = 'verified' where id = ?", agent_id);
	return api_key;
}

function describeFailure(page: Page, { sample, stdout, stderr, statuses }: SampleResult, { note }: PageRun): string {
	const at = `docs/pages/${page.slug}.mdx:${sample.line}`;
	return `${at}: ${note === "" ? `answered ${statuses.join(", ")}` : note}\n\n${sample.code}\n${stdout}\n${stderr}`;
}

/** What the page shows right behind a sample is what the sample answers. */
function assertOutput(page: Page, { sample, stdout }: SampleResult): void {
	const shown = page.samples[page.samples.indexOf(sample) + 1];
	if (shown?.meta["output"] === undefined) return;
	const at = `docs/pages/${page.slug}.mdx:${shown.line}`;
	if (shown.language === "json") expect(generalizeJson(JSON.parse(stdout)), at).toEqual(generalizeJson(JSON.parse(shown.code)));
	else expect(generalize(stdout), at).toBe(generalize(shown.code));
}

describe.each(pages.map((page) => [page.slug, page] as const))("%s", (_, page) => {
	it("has samples in a form that can be run and checked", () => {
		expect(page.samples.flatMap((sample, index) => faultsOf(sample, page.samples[index - 1]))).toEqual([]);
	});

	it("has prose that is plain Markdown and valid MDX", () => {
		const text = page.prose.replace(/(`+)[\s\S]*?\1/g, "");
		expect(text.match(/[{}<]|^(import|export) .*$|^\s+```.*$/gm)).toBe(null);
		expect(page.frontmatter).toMatch(/^title: \S/m);
		expect(page.frontmatter).toMatch(/^description: \S/m);
	});
});

function faultsOf(sample: Sample, before: Sample | undefined): string[] {
	const { language, meta, code, line } = sample;
	const faults = [
		...(LANGUAGES.includes(language) ? [] : [`unknown language ${language}`]),
		...Object.keys(meta).flatMap((name) => (META.includes(name) ? [] : [`unknown meta ${name}`])),
		...(["ts", "js", "python"].includes(language) && meta["file"] === undefined ? ["code needs file=, so that a sample can run it"] : []),
		...(meta["output"] !== undefined && (before === undefined || !isRunnable(before)) ? ["output of nothing that runs"] : []),
		...(language === "json" && !isJson(code) ? ["is not JSON"] : []),
		...(isShell(sample) && spawnSync("bash", ["-n"], { input: code }).status !== 0 ? ["is not valid shell"] : []),
	];
	return faults.map((fault) => `line ${line}: ${fault}`);
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

it("runs whatever can be run: the reasons for not doing so are these", () => {
	const reasons = pages.flatMap(({ samples }) => samples.flatMap(({ meta }) => meta["skip"] ?? []));
	for (const reason of reasons) expect(SKIP_REASONS).toContain(reason);
});
