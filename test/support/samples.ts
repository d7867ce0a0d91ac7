// Provides the documentation's pages: their frontmatter, their prose, and the samples in their fenced code.
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { fillLimits } from "../../scripts/site/limits.ts";

export const PROJECT_ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const PAGES = join(PROJECT_ROOT, "docs", "pages");

export interface Sample {
	readonly language: string;
	/** The rest of the info line: `title="..."`, `skip="..."`, `expect=409`, `file=name`, `output`, `needs=engine`, `cwd=checkout`. */
	readonly meta: Readonly<Record<string, string>>;
	readonly code: string;
	/** The line of the file in which the fence opens, from 1. */
	readonly line: number;
}

export interface Page {
	readonly slug: string;
	readonly frontmatter: string;
	/** The text without frontmatter and fenced code. */
	readonly prose: string;
	readonly samples: readonly Sample[];
}

/** Returns every page of docs/pages, with its limits filled in. */
export function readPages(): Page[] {
	return globSync("**/*.mdx", { cwd: PAGES })
		.toSorted()
		.map((path) =>
			parsePage(relative(PAGES, join(PAGES, path)).replace(/\.mdx$/, ""), fillLimits(readFileSync(join(PAGES, path), "utf8"))),
		);
}

/** Splits a page into its parts. */
export function parsePage(slug: string, source: string): Page {
	const lines = source.split("\n");
	const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
	const samples: Sample[] = [];
	const prose: string[] = [];
	for (let at = end + 1; at < lines.length; at += 1) {
		const info = /^```(.*)$/.exec(lines[at] ?? "")?.[1];
		if (info === undefined) {
			prose.push(lines[at] ?? "");
			continue;
		}
		const close = lines.indexOf("```", at + 1);
		if (close === -1) throw new Error(`${slug}, line ${at + 1}: the code is not closed.`);
		samples.push({ ...parseInfo(info), code: `${lines.slice(at + 1, close).join("\n")}\n`, line: at + 1 });
		at = close;
	}
	return { slug, frontmatter: lines.slice(1, Math.max(1, end)).join("\n"), prose: prose.join("\n"), samples };
}

function parseInfo(info: string): Pick<Sample, "language" | "meta"> {
	const [language = ""] = info.trim().split(/\s/, 1);
	const meta: Record<string, string> = {};
	for (const [, name = "", quoted, plain] of info
		.trim()
		.slice(language.length)
		.matchAll(/([\w-]+)(?:="([^"]*)"|=(\S+))?/g)) {
		meta[name] = quoted ?? plain ?? "";
	}
	return { language, meta };
}

export function isShell({ language }: Sample): boolean {
	return language === "sh" || language === "bash";
}

/** The tabs whose samples form one program per page and tab. Samples for curl are part of the page's shell script instead. */
export const PROGRAM_NAMES = ["TypeScript", "Python", "SDK", "CLI"] as const;
export type ProgramName = (typeof PROGRAM_NAMES)[number];
const PROGRAM_LANGUAGES: Readonly<Record<ProgramName, string>> = { TypeScript: "ts", Python: "py", SDK: "ts", CLI: "sh" };

/** Returns true if a sample is part of one of these programs. */
export function isProgram({ language, meta }: Sample, names: readonly ProgramName[] = PROGRAM_NAMES): boolean {
	return meta["file"] === undefined && names.some((name) => meta["title"] === name && PROGRAM_LANGUAGES[name] === language);
}

/** Returns a sample and those that do the same in other languages: fences with titles, with only blank lines between them. */
export function groupOf({ samples }: Page, sample: Sample): readonly Sample[] {
	const isNext = (a: Sample, b: Sample) => a.meta["title"] !== undefined && b.meta["title"] !== undefined && b.line <= endOf(a) + 2;
	let first = samples.indexOf(sample);
	let last = first;
	for (let [a, b] = [samples[first - 1], samples[first]]; a && b && isNext(a, b); [a, b] = [samples[first - 1], samples[first]]) first -= 1;
	for (let [a, b] = [samples[last], samples[last + 1]]; a && b && isNext(a, b); [a, b] = [samples[last], samples[last + 1]]) last += 1;
	return samples.slice(first, last + 1);
}

/** Returns the line of the closing fence. */
function endOf({ line, code }: Sample): number {
	return line + code.split("\n").length;
}

/** Returns the output that a page shows after a sample, or after the sample's group. */
export function shownOutputOf(page: Page, sample: Sample): Sample | null {
	const last = groupOf(page, sample).at(-1) ?? sample;
	const shown = page.samples[page.samples.indexOf(last) + 1];
	return shown?.meta["output"] === undefined ? null : shown;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const VARYING: readonly (readonly [RegExp, string])[] = [
	[/\{base_url\}[^\s"]*/g, "<url>"],
	[/https?:\/\/[^\s"'<>]+/g, "<url>"],
	[UUID, "<id>"],
	[/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
	[/\b(svc_\w+?_|whsec_|0x)[A-Za-z0-9+/=.]+/g, "<secret>"],
	[/\b(?=[0-9a-f]*\d)[0-9a-f]{10,}\b/g, "<hex>"],
	[/\bCompetitor \S+/g, "<pseudonym>"],
];
/** The names of numbers that differ from run to run. */
const VARYING_NUMBERS = /score|_ms$|^ts$|rank|size|bytes/i;

/** Replaces the parts of text that differ from run to run. */
export function generalize(text: string): string {
	return VARYING.reduce((result, [pattern, name]) => result.replace(pattern, name), text.trim());
}

/**
 * Removes ids, times, secrets, URLs and measured numbers from a JSON document. A sample's response and the documented one must then be
 * equal.
 */
export function generalizeJson(value: unknown, key = ""): unknown {
	if (Array.isArray(value)) return value.map((item) => generalizeJson(item, key));
	if (typeof value === "object" && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, generalizeJson(item, name)]));
	}
	if (typeof value === "number") return VARYING_NUMBERS.test(key) ? "<number>" : value;
	return typeof value === "string" ? generalize(value) : value;
}
