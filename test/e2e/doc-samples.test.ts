// Runs every sample of the documentation in each of its languages, and compares the output with the documented one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { buildCli } from "../support/cli-package.ts";
import { buildImages, requireEngine, runEngine, whyNoContainers } from "../support/container-engine.ts";
import { runProgram } from "../support/program-runner.ts";
import { PYTHON } from "../support/python.ts";
import {
	callerIpOf,
	type Exchange,
	isCommand,
	isRunnable,
	type PageRun,
	runPage,
	type SampleResult,
	type Tool,
	toolsOf,
} from "../support/sample-runner.ts";
import {
	generalize,
	generalizeJson,
	groupOf,
	isProgram,
	type Page,
	PROGRAM_NAMES,
	type ProgramName,
	readPages,
	type Sample,
	shownOutputOf,
} from "../support/samples.ts";
import { buildSdk } from "../support/sdk-package.ts";
import { type RunningServer, startServer } from "../support/server.ts";

/** These are the reasons why a sample is not run. Look for a way to run it before you add one. */
const SKIP_REASONS = [
	"needs a person in a browser",
	"runs until you stop it",
	"needs a Cloudflare account",
	"needs a model's key",
	"needs a machine of your own",
	"needs an agent of yours",
	"changes a deployment",
	"takes minutes",
];

/** The limit is longer than a page may take, so that the page itself reports how far it came. */
const TEST_TIMEOUT_MS = 120_000;

const pages = readPages();
const withPrograms = pages.flatMap((page) =>
	PROGRAM_NAMES.filter((name) => page.samples.some((sample) => isProgram(sample, [name]))).map((name) => ({ page, name })),
);
/** The test compares the requests of these with another language. The SDK and the command line check and wait in their own ways. */
const COMPARED_PROGRAMS: readonly ProgramName[] = ["TypeScript", "Python"];
/** Pages that run the project's own commands take longest, so they begin first. */
const withSamples = pages.filter(({ samples }) => samples.some(isRunnable)).toSorted((a, b) => countCommands(b) - countCommands(a));
const available: Readonly<Record<Tool, boolean>> = {
	python3: isCommand("python3", "--version"),
	engine: whyNoContainers === null,
};

describe("the samples of", () => {
	let server: RunningServer;
	let engine: string | null = null;
	let values: Readonly<Record<string, string>>;
	let removeImages = async () => {};

	beforeAll(async () => {
		[server] = await Promise.all([startServer(), buildSdk(), buildCli()]);
		values = { "{base_url}": server.url, "svc_sk_...": await makeVerifiedKey(server) };
		if (whyNoContainers !== null) return;
		const found = await requireEngine();
		const images = await buildImages(found, { base: { script: "" } });
		const built = `${images.names.base.split("/").slice(0, -1).join("/")}/built:1`;
		engine = [found.command, ...found.globalArguments].join(" ");
		values = { ...values, "busybox:1.37": images.names.base, "localhost/primes-judge:1": built };
		removeImages = async () => {
			await images.remove();
			// There is no image if its page has failed before.
			if (runEngine(found, "images", "--quiet", built).trim() !== "") runEngine(found, "rmi", "--force", built);
		};
	}, 900_000);
	afterAll(async () => {
		await server?.close();
		await removeImages();
	});

	/** Stores the requests of each sample in a group, to compare the languages. */
	const requested = new Map<Sample, readonly string[]>();

	it.concurrent.each(withSamples.map((page, index) => [page.slug, page, index + 1] as const))(
		"%s",
		async (_, page, caller) => {
			const run = await runPage(page, { values, engine, caller, canUse: (tool) => available[tool] });
			if (run.failed !== null) throw new Error(describeFailure(page, run.failed, run));
			expect(run.results.length).toBeGreaterThan(0);
			for (const result of run.results) {
				assertOutput(page, result);
				requested.set(result.sample, describeRequests(result.exchanges));
			}
		},
		TEST_TIMEOUT_MS,
	);

	it.concurrent.each(withPrograms.map(({ page, name }, index) => [page.slug, name, page, withSamples.length + index + 1] as const))(
		"%s in %s",
		async (_slug, name, page, caller) => {
			if (name === "Python" && PYTHON === null) return expect(page.samples.length).toBeGreaterThan(0);
			const run = await runProgram(page, name, { values, callerIp: callerIpOf(caller) });
			if (run.failed !== null) throw new Error(describeFailure(page, run.failed, run));
			expect(run.results.length).toBeGreaterThan(0);
			for (const result of run.results) {
				expect(result.stdout, `docs/pages/${page.slug}.mdx:${result.sample.line}`).not.toContain("undefined");
				// The command line prints text for people.
				if (name !== "CLI") assertOutput(page, result);
				requested.set(result.sample, describeRequests(result.exchanges));
			}
		},
		TEST_TIMEOUT_MS,
	);

	it("send the same requests in every language", () => {
		const groups = new Set(
			withPrograms.flatMap(({ page }) => page.samples.filter((sample) => isProgram(sample)).map((sample) => groupOf(page, sample)[0])),
		);
		expect(groups.size).toBeGreaterThan(10);
		for (const { page } of withPrograms) {
			for (const sample of page.samples.filter((each) => isProgram(each, COMPARED_PROGRAMS))) {
				const model = modelOf(page, sample);
				const [expected, actual] = [requested.get(model), requested.get(sample)];
				if (expected === undefined || actual === undefined) continue;
				expect(actual, `docs/pages/${page.slug}.mdx:${sample.line}`).toEqual(expected);
			}
		}
	});

	for (const { slug, samples } of withSamples) {
		for (const sample of samples) {
			const [missing] = toolsOf(sample).filter((tool) => !available[tool]);
			if (missing === undefined) continue;
			it.skip(`${slug} from line ${sample.line} on: needs ${missing}, which this machine lacks`);
			break;
		}
	}
});

/** The Python package does what the SDK does, or what curl does if a page has no sample for the SDK. */
function modelOf(page: Page, sample: Sample): Sample {
	const group = groupOf(page, sample);
	const sdk = sample.meta["title"] === "Python" ? group.find((each) => isProgram(each, ["SDK"])) : undefined;
	return sdk ?? group[0] ?? sample;
}

/** Lists method, path and status of each request, without ids and without the repetitions of a loop. */
function describeRequests(exchanges: readonly Exchange[]): string[] {
	return exchanges
		.map(({ method, url, status }) => `${method} ${generalize(new URL(url).pathname)} ${status}`)
		.filter((line, index, lines) => line !== lines[index - 1]);
}

function countCommands({ samples }: Page): number {
	return samples.filter(({ meta }) => meta["cwd"] !== undefined).length;
}

/** Returns a key of a human who has signed in. */
async function makeVerifiedKey(server: RunningServer): Promise<string> {
	const answer = await fetch(`${server.url}/api/v1/agent/register-anonymous`, { method: "POST" });
	const { agent_id, api_key } = z.object({ agent_id: z.uuid(), api_key: z.string() }).parse(await answer.json());
	await server.query("update agents set tier = 'verified' where id = ?", agent_id);
	return api_key;
}

function describeFailure(page: Page, { sample, stdout, stderr, exchanges }: SampleResult, { note }: PageRun): string {
	const at = `docs/pages/${page.slug}.mdx:${sample.line}`;
	return `${at}: ${note === "" ? `the responses were ${exchanges.map(({ status }) => status).join(", ")}` : note}\n\n${sample.code}\n${stdout}\n${stderr}`;
}

/** The text after a sample on the page, or after its group, is the output of the sample. */
function assertOutput(page: Page, { sample, stdout }: SampleResult): void {
	const shown = shownOutputOf(page, sample);
	if (shown === null) return;
	const at = `docs/pages/${page.slug}.mdx:${shown.line}`;
	if (shown.language === "json") expect(generalizeJson(JSON.parse(stdout)), at).toEqual(generalizeJson(JSON.parse(shown.code)));
	else expect(generalize(stdout), at).toBe(generalize(shown.code));
}

it("samples all run, except for these reasons", () => {
	const reasons = pages.flatMap(({ samples }) => samples.flatMap(({ meta }) => meta["skip"] ?? []));
	for (const reason of reasons) expect(SKIP_REASONS).toContain(reason);
});
