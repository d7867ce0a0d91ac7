// Tests the documentation's pages: their form, their links, and the tables and diagrams that repeat facts of the code.
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import limits from "../../docs/limits.json" with { type: "json" };
import { SETTINGS_PAGE, writeSettings } from "../../scripts/openapi/settings-page.ts";
import { readPages as readLibrary } from "../../scripts/site/pages.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import { LINT_CODES, LINT_SEVERITIES } from "../../src/core/judging/checks/lint-findings.ts";
import { DEAL_TRANSITIONS } from "../../src/domain/deal-status.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { EVAL_MODES } from "../../src/domain/modes.ts";
import { SUBMISSION_TRANSITIONS } from "../../src/domain/submission-status.ts";
import { TASK_TRANSITIONS } from "../../src/domain/task-status.ts";
import { isRunnable } from "../support/sample-runner.ts";
import { groupOf, isProgram, isShell, type Page, PROJECT_ROOT, readPages, type Sample } from "../support/samples.ts";

const LANGUAGES = ["sh", "ts", "py", "json", "toml", "yaml", "dockerfile", "markdown", "text", "mermaid"];
/** The tabs of a group of samples are in this order on every page. */
const TABS = ["curl", "TypeScript", "Python", "SDK", "CLI"];
const META = ["title", "skip", "expect", "file", "output", "needs", "cwd"];
const MAX_LINES = 260;
const UNMENTIONED = /\/(artifact|content|uploads\/\{agentId\}\/\{uploadId\})$|^\/assets\/|^\/robots\.txt$/;

const pages = readPages();

it("pages are all valid MDX, and each has its place in the navigation", async () => {
	const { sections } = await readLibrary(join(PROJECT_ROOT, "docs", "pages"));
	expect(sections.flatMap((section) => section.pages.map(({ slug }) => slug)).toSorted()).toEqual(pages.map(({ slug }) => slug));
	const placed: { pages: string[] }[] = JSON.parse(readProjectFile("docs/pages/order.json"));
	expect(placed.flatMap((section) => section.pages).toSorted()).toEqual(pages.map(({ slug }) => slug));
});

describe.each(pages.map((page) => [page.slug, page] as const))("%s", (_, page) => {
	it("has samples in a form that can be run and checked", () => {
		expect(page.samples.flatMap((sample) => faultsOf(page, sample))).toEqual([]);
	});

	it("has a title, a description, plain prose and a readable size", () => {
		const text = page.prose.replace(/(`+)[\s\S]*?\1/g, "");
		expect(text.match(/[{}<]|^(import|export) .*$|^\s+```.*$/gm)).toBe(null);
		expect(page.frontmatter).toMatch(/^title: \S.*\ndescription: \S.*$/);
		// A reader sees one tab of a group at a time.
		const shown = page.samples.filter((sample) => groupOf(page, sample)[0] === sample);
		expect(page.prose.split("\n").length + shown.reduce((sum, { code }) => sum + code.split("\n").length, 0)).toBeLessThan(MAX_LINES);
	});

	it("links to pages, headings and pictures that exist", () => {
		const targets = [...page.prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");
		const broken = targets.filter((target) => !target.startsWith("https://") && !isPlace(target));
		expect(broken).toEqual([]);
	});
});

it.each(["README.md", ...globSync("docs/*.md", { cwd: PROJECT_ROOT })])("links of %s lead to files that exist", (path) => {
	const targets = [...readProjectFile(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target.split("#")[0] ?? "");
	const local = targets.filter((target) => target !== "" && !/^https?:/.test(target));
	expect(local.filter((target) => !existsSync(join(PROJECT_ROOT, dirname(path), target)))).toEqual([]);
});

it("the start page says how long each of its paths takes to read, at 230 words a minute, and both take 45 minutes at most", () => {
	const index = pages.find(({ slug }) => slug === "index");
	const wordsOf = (slug: string) => (pages.find((page) => page.slug === slug)?.prose ?? "").split(/\s+/).filter(Boolean).length;
	const paths = [...(index?.prose ?? "").matchAll(/^\|.*\]\(.*\| (\d+) \|$/gm)].map(([row, minutes]) => ({
		minutes: Number(minutes),
		slugs: [...row.matchAll(/\]\(\/docs\/([^)]+)\)/g)].map(([, slug = ""]) => slug),
	}));
	expect(paths).toHaveLength(2);
	const minutesOf = (slugs: readonly string[]) => Math.ceil(slugs.reduce((sum, slug) => sum + wordsOf(slug), 0) / 230);
	expect(paths.map(({ slugs }) => minutesOf(slugs))).toEqual(paths.map(({ minutes }) => minutes));
	expect(minutesOf([...new Set(paths.flatMap(({ slugs }) => slugs))])).toBeLessThanOrEqual(45);
});

it("each limit has a place in a text", () => {
	const texts = globSync(["docs/{pages,agents}/**/*.{md,mdx}", "scripts/site/agents.ts"], { cwd: PROJECT_ROOT }).map(readProjectFile);
	const stated = texts.flatMap((text) => [...text.matchAll(/\{limit:(\w+)\}/g)].map(([, name]) => name));
	expect(Object.keys(limits).filter((name) => !stated.includes(name))).toEqual([]);
});

it("links of the console and the public pages to the documentation lead to pages and headings that exist", () => {
	const sources = globSync(["console/src/**/*.tsx", "src/extensions/pages/*.tsx"], { cwd: PROJECT_ROOT });
	const links = sources.flatMap((path) => [...readProjectFile(path).matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, target = ""]) => target));
	expect(links.length).toBeGreaterThan(3);
	expect(links.filter((target) => !isPlace(target))).toEqual([]);
});

function faultsOf(page: Page, sample: Sample): string[] {
	const { language, meta, code, line } = sample;
	const faults = [
		...(LANGUAGES.includes(language) ? [] : [`unknown language ${language}`]),
		...Object.keys(meta).flatMap((name) => (META.includes(name) ? [] : [`unknown meta ${name}`])),
		...faultsOfPlace(page, sample),
		...(language === "json" && !isJson(code) ? ["is not JSON"] : []),
		...(isShell(sample) && spawnSync("bash", ["-n"], { input: code }).status !== 0 ? ["is not valid shell"] : []),
		...missingScripts(code),
	];
	return faults.map((fault) => `line ${line}: ${fault}`);
}

/** Returns the faults of a sample's place: the block that runs it, the block whose output it is, and its tabs. */
function faultsOfPlace(page: Page, sample: Sample): string[] {
	const { language, meta, code } = sample;
	const before = page.samples[page.samples.indexOf(sample) - 1];
	const tabs = groupOf(page, sample).flatMap(({ meta: { title } }) => title ?? []);
	const runs = (candidate: Sample | undefined) => candidate !== undefined && (isRunnable(candidate) || isProgram(candidate));
	const origin = isShell(sample) ? /(?<!^(?:export )?BASE_URL=)\{base_url\}/m : /(?<!^(?:const )?BASE_URL = ")\{base_url\}/m;
	return [
		...(["ts", "py"].includes(language) && meta["file"] === undefined && !isProgram(sample)
			? ["code needs title= or file=, so that it runs"]
			: []),
		...(tabs.length === 1 || tabs.join() !== TABS.filter((tab) => tabs.includes(tab)).join() ? [`tabs ${tabs.join(", ")}`] : []),
		...(meta["output"] !== undefined && !runs(before) ? ["output of nothing that runs"] : []),
		...((isShell(sample) || isProgram(sample)) && origin.test(code) ? ["the origin is set once, as BASE_URL"] : []),
	];
}

/** Returns each `npm run x` of the samples for which package.json has no script. */
function missingScripts(code: string): string[] {
	const { scripts }: { scripts: Record<string, string> } = JSON.parse(readProjectFile("package.json"));
	return [...code.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].flatMap(([, name = ""]) =>
		name in scripts ? [] : [`there is no script ${name}`],
	);
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

function isPlace(target: string): boolean {
	const [path = "", anchor] = target.split("#");
	if (path.startsWith("/docs/pictures/")) return isPicture(path);
	const page = pages.find(({ slug }) => path === `/docs/${slug}`);
	return page !== undefined && (anchor === undefined || headingsOf(page).includes(anchor));
}

/** The documentation shows the light or the dark one of two pictures. */
function isPicture(path: string): boolean {
	const files = [path, path.replace(/\.webp$/, "-dark.webp")];
	return files.every((file) => existsSync(join(PROJECT_ROOT, "docs-site", "public", file.replace("/docs/", ""))));
}

function headingsOf({ prose }: Page): string[] {
	const headings = [...prose.matchAll(/^#{2,} (.+)$/gm)].map(([, text]) => text ?? "");
	return headings.map((text) =>
		text
			.toLowerCase()
			.replace(/[^\p{L}\p{N} -]/gu, "")
			.replaceAll(" ", "-"),
	);
}

function pageOf(slug: string): Page {
	const page = pages.find((candidate) => candidate.slug === slug);
	if (page === undefined) throw new Error(`There is no page ${slug}.`);
	return page;
}

/** Returns the source of a page's first diagram. */
function diagramOf(slug: string): string {
	const diagram = samplesOf(slug).find(({ language }) => language === "mermaid");
	if (diagram === undefined) throw new Error(`${slug} has no diagram.`);
	return diagram.code;
}

const proseOf = (slug: string): string => pageOf(slug).prose;
const samplesOf = (slug: string): readonly Sample[] => pageOf(slug).samples;

const describedApi = z.object({
	webhooks: z.record(
		z.string(),
		z.object({
			post: z.object({
				requestBody: z.object({ content: z.object({ "application/json": z.object({ schema: z.object({ $ref: z.string() }) }) }) }),
			}),
		}),
	),
	components: z.object({ schemas: z.record(z.string(), z.object({ properties: z.record(z.string(), z.unknown()).optional() })) }),
});

/** Returns the first cells of a page's tables. */
function rowsOf(slug: string): string[][] {
	return proseOf(slug)
		.split("\n")
		.filter((line) => line.startsWith("| "))
		.map((line) =>
			line
				.slice(1, -1)
				.split("|")
				.map((cell) => cell.trim()),
		);
}

describe("the facts on pages", () => {
	it("include every rule of the lint with its severity, and one of them says what to write instead", () => {
		const documented = rowsOf("guides/rubric-lint").flatMap(([code = "", second = ""]) =>
			/^`[A-Z_]+`$/.test(code) ? [[code.slice(1, -1), second]] : [],
		);
		const codes: readonly string[] = LINT_CODES;
		expect(documented.filter(([, severity = ""]) => ["error", "warning", "hint"].includes(severity))).toEqual(
			LINT_CODES.map((code) => [code, LINT_SEVERITIES[code]]),
		);
		expect(documented.slice(codes.length).map(([code]) => code)).toEqual(codes);
	});

	it("include exactly the error codes of the code, with their status", () => {
		const documented = rowsOf("api/errors").flatMap(([code = "", status = "", meaning = ""]) =>
			/^`\w+`$/.test(code) && /^\d{3}$/.test(status) && meaning !== "" ? [`${code.slice(1, -1)} ${status}`] : [],
		);
		const known = Object.entries(ERRORS).map(([key, entry]) => `${"code" in entry ? entry.code : key} ${entry.status}`);
		expect(documented.toSorted()).toEqual(known.toSorted());
	});

	it("include exactly the modes of the code, with links to their pages", () => {
		const linked = rowsOf("judging/overview").flatMap(([mode = ""]) => /^\[`(\w+)`\]\(\/docs\/judging\/\1\)$/.exec(mode)?.[1] ?? []);
		expect(linked.toSorted()).toEqual(EVAL_MODES.toSorted());
	});

	it("include every webhook event", () => {
		const documented = rowsOf("guides/webhooks").flatMap(([name = ""]) => (/^`\w+\.\w+`$/.test(name) ? [name.slice(1, -1)] : []));
		expect(documented.toSorted()).toEqual(WEBHOOK_EVENTS.toSorted());
	});

	it("include diagrams with the code's states and transitions", () => {
		const tables = {
			"concepts/tasks": TASK_TRANSITIONS,
			"concepts/submissions": SUBMISSION_TRANSITIONS,
			"concepts/deals": DEAL_TRANSITIONS,
		};
		for (const [slug, table] of Object.entries(tables)) {
			const transitions: readonly { readonly from: readonly string[]; readonly to: string }[] = Object.values(table);
			const arrows = transitions.flatMap(({ from, to }) =>
				from.length === 0 ? [`[*] > ${to}`] : from.map((status) => `${status} > ${to}`),
			);
			const drawn = [...diagramOf(slug).matchAll(/^ *(\S+) --> (\S+?)(?:: .+)?$/gm)].map(([, from = "", to = ""]) => `${from} > ${to}`);
			expect([...new Set(drawn)].toSorted(), slug).toEqual([...new Set(arrows)].toSorted());
		}
	});

	it("include every mode and every webhook event in a diagram", () => {
		const namesIn = (slug: string, names: readonly string[]) =>
			names.filter((name) => new RegExp(`\\b${RegExp.escape(name)}\\b`).test(diagramOf(slug)));
		expect(namesIn("judging/overview", EVAL_MODES)).toEqual([...EVAL_MODES]);
		expect(namesIn("guides/webhooks", WEBHOOK_EVENTS)).toEqual([...WEBHOOK_EVENTS]);
	});

	it("include every endpoint, except signed URLs, which readers use unchanged, and files of the site", () => {
		const { paths }: { paths: Record<string, Record<string, unknown>> } = JSON.parse(readProjectFile("docs/openapi.json"));
		const text = [...pages.flatMap(({ prose, samples }) => [prose, ...samples.map(({ code }) => code)])]
			.join("\n")
			.replace(/\$\w+|\$\([^)]*\)/g, "x");
		const isMentioned = (path: string) =>
			new RegExp(`${RegExp.escape(path).replace(/\\\{\w+\\\}/g, '[^\\s/`"?|]+')}(?![\\w/-])`).test(text);
		const missing = Object.keys(paths).filter((path) => !isMentioned(path) && !UNMENTIONED.test(path));
		expect(missing).toEqual([]);
	});

	it("include every setting", () => {
		const names = listSettings(settings).map(({ variable }) => variable);
		const page = proseOf("operating/configuration");
		expect(names.filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
		const source = readProjectFile(SETTINGS_PAGE);
		expect(writeSettings(source)).toBe(source);
	});

	it("include what the platform sends, with the fields of the OpenAPI document", () => {
		const { webhooks, components } = describedApi.parse(JSON.parse(readProjectFile("docs/openapi.json")));
		const fieldsOf = (event: string) => {
			const name = webhooks[event]?.post.requestBody.content["application/json"].schema.$ref.split("/").at(-1) ?? "";
			return Object.keys(components.schemas[name]?.properties ?? {});
		};
		for (const event of WEBHOOK_EVENTS) {
			expect(fieldsOf(event)).toContain("timestamp");
			expect(fieldsOf(event).filter((field) => !proseOf("guides/webhooks").includes(`\`${field}\``))).toEqual([]);
		}
		const shown = samplesOf("judging/external").find(({ language, code }) => language === "json" && code.includes("external_eval_request"));
		expect(Object.keys(JSON.parse(shown?.code ?? "{}"))).toEqual(fieldsOf("external_eval_request"));
	});
});
