// Everything that the documentation tells readers to run is run here, and answers what the documentation says.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { buildImages, requireEngine, runEngine, whyNoContainers } from "../support/container-engine.ts";
import { isCommand, isRunnable, type PageRun, runPage, type SampleResult, type Tool, toolsOf } from "../support/sample-runner.ts";
import { generalize, generalizeJson, type Page, readPages } from "../support/samples.ts";
import { buildSdk } from "../support/sdk-package.ts";
import { type RunningServer, startServer } from "../support/server.ts";

/** Why a sample is not run. Whoever adds a reason has looked for a way to run it. */
const SKIP_REASONS = ["runs until you stop it", "needs a Cloudflare account", "needs a model's key", "needs an agent of yours"];

/** Longer than a page may take, so that a page tells by itself how far it came. */
const TEST_TIMEOUT_MS = 120_000;

const pages = readPages();
/** Those that run the project's own commands take longest, so they begin first. */
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
		[server] = await Promise.all([startServer(), buildSdk()]);
		values = { "{base_url}": server.url, "svc_sk_...": await makeVerifiedKey(server) };
		if (whyNoContainers !== null) return;
		const found = await requireEngine();
		const images = await buildImages(found, { base: { script: "" } });
		const built = `${images.names.base.split("/").slice(0, -1).join("/")}/built:1`;
		engine = [found.command, ...found.globalArguments].join(" ");
		values = { ...values, "busybox:1.37": images.names.base, "localhost/primes-judge:1": built };
		removeImages = async () => {
			await images.remove();
			// There is none when its page has failed before.
			if (runEngine(found, "images", "--quiet", built).trim() !== "") runEngine(found, "rmi", "--force", built);
		};
	});
	afterAll(async () => {
		await server?.close();
		await removeImages();
	});

	it.concurrent.each(withSamples.map((page, index) => [page.slug, page, index + 1] as const))(
		"%s",
		async (_, page, caller) => {
			const run = await runPage(page, { values, engine, caller, canUse: (tool) => available[tool] });
			if (run.failed !== null) throw new Error(describeFailure(page, run.failed, run));
			expect(run.results.length).toBeGreaterThan(0);
			for (const result of run.results) assertOutput(page, result);
		},
		TEST_TIMEOUT_MS,
	);

	for (const { slug, samples } of withSamples) {
		for (const sample of samples) {
			const [missing] = toolsOf(sample).filter((tool) => !available[tool]);
			if (missing === undefined) continue;
			it.skip(`${slug} from line ${sample.line} on: needs ${missing}, which this machine lacks`);
			break;
		}
	}
});

function countCommands({ samples }: Page): number {
	return samples.filter(({ meta }) => meta["cwd"] !== undefined).length;
}

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

it("runs whatever can be run: the reasons for not doing so are these", () => {
	const reasons = pages.flatMap(({ samples }) => samples.flatMap(({ meta }) => meta["skip"] ?? []));
	for (const reason of reasons) expect(SKIP_REASONS).toContain(reason);
});
