// Reads the documentation pages: docs/pages/**/*.mdx in the order of docs/pages/order.json.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Root } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import remarkGfm from "remark-gfm";
import remarkMdx from "remark-mdx";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { visit } from "unist-util-visit";
import { parse as parseYaml } from "yaml";
import * as z from "zod";
import type { DocsFile } from "../../src/core/docs/docs-page.ts";
import { CommandError } from "../support/command.ts";
import { fillLimits } from "./limits.ts";
import { findMarkup } from "./plain-markdown.ts";
import { listFiles, type SiteFiles } from "./site-files.ts";

export interface Page {
	/** Such as `concepts/tasks` for docs/pages/concepts/tasks.mdx. */
	readonly slug: string;
	readonly title: string;
	readonly description: string | null;
	/** The source without its frontmatter, with the limits filled in. `{base_url}` in it is the placeholder of the reader's origin. */
	readonly body: string;
	/** The body as parsed Markdown. */
	readonly tree: Root;
	/** Relative to the project's root. */
	readonly filePath: string;
}

/** A group of pages in the navigation. */
export interface Section {
	readonly title: string;
	readonly pages: readonly Page[];
}

/** All pages in their order. The sections contain exactly these pages. */
export interface Library {
	readonly pages: readonly Page[];
	readonly sections: readonly Section[];
}

const frontmatter = z.strictObject({ title: z.string().min(1), description: z.string().min(1).optional() });
const order = z.array(z.strictObject({ section: z.string().min(1), pages: z.array(z.string()) }));

const SOURCE = /^---\r?\n(?<head>[\s\S]*?)\r?\n---\r?\n(?<body>[\s\S]*)$/;
const SLUG = /^[a-z0-9]+(?:[-/][a-z0-9]+)*$/;
/** The group of the pages that the order does not name yet. */
const LAST_SECTION = "More";

const plainMarkdown = unified().use(remarkParse).use(remarkGfm);
const markdown = unified().use(remarkParse).use(remarkGfm).use(remarkMdx);

/**
 * Reads every page below a folder.
 *
 * @throws CommandError that names the file, if a page is not valid or the order names a missing one.
 */
export async function readPages(folder: string): Promise<Library> {
	const paths = (await listFiles(folder)).filter((path) => path.endsWith(".mdx"));
	const bySlug = new Map<string, Page>();
	for (const path of paths) {
		const page = parsePage(path, await readFile(join(folder, path), "utf8"));
		bySlug.set(page.slug, page);
	}
	const sections = arrange(bySlug, order.parse(JSON.parse(await readFile(join(folder, "order.json"), "utf8"))));
	return { sections, pages: sections.flatMap((section) => section.pages) };
}

/**
 * Reads one page.
 *
 * @param path The path relative to the folder of the pages.
 * @throws CommandError that names the file and, if possible, the line.
 */
export function parsePage(path: string, source: string): Page {
	const filePath = `docs/pages/${path}`;
	const slug = path.replace(/\.mdx$/, "");
	if (!SLUG.test(slug)) throw new CommandError(`${filePath}: the path may contain only lower-case letters, digits, "-" and "/".`);
	const { head, body } = SOURCE.exec(source)?.groups ?? {};
	if (head === undefined || body === undefined)
		throw new CommandError(`${filePath}: it must start with frontmatter between two lines "---".`);
	try {
		const { title, description = null } = frontmatter.parse(parseYaml(head));
		const text = fillLimits(body.replace(/^\s*\n/, ""));
		const tree = markdown.parse(text);
		const markup = findMarkup(tree);
		if (markup !== null) throw new Error(markup);
		return { slug, title, description, body: text, tree, filePath };
	} catch (error) {
		throw new CommandError(`${filePath}: ${describeFault(error, source.slice(0, source.length - body.trimStart().length))}`);
	}
}

/** Describes a fault with its line in the file. The Markdown parser counts lines from the start of the body. */
function describeFault(error: unknown, before: string): string {
	if (error instanceof z.ZodError) return `frontmatter: ${z.prettifyError(error)}`;
	if (!(error instanceof Error)) return String(error);
	const line = "line" in error && typeof error.line === "number" ? error.line + before.split("\n").length - 1 : null;
	return line === null ? error.message : `line ${line}: ${error.message}`;
}

function arrange(bySlug: ReadonlyMap<string, Page>, wanted: z.output<typeof order>): Section[] {
	const rest = new Map(bySlug);
	const sections = wanted.map(({ section, pages }) => ({
		title: section,
		pages: pages.map((slug) => {
			const page = rest.get(slug);
			if (page === undefined) throw new CommandError(`docs/pages/order.json: there is no page "${slug}", or it occurs twice.`);
			rest.delete(slug);
			return page;
		}),
	}));
	return rest.size === 0 ? sections : [...sections, { title: LAST_SECTION, pages: [...rest.values()] }];
}

/**
 * Makes the changelog a page. The changelog is not in docs/pages/, because readers of the code expect it in the root.
 *
 * @param source The text of CHANGELOG.md.
 */
export function parseChangelog(source: string): Page {
	const body = source
		.replace(/^# .*\n+/, "")
		.replaceAll("](docs/openapi.json)", "]({base_url}/openapi.json)")
		.replaceAll(/\]\(docs\/pages\/(.*?)\.mdx/g, "](/docs/$1");
	return {
		slug: "changelog",
		title: "Changelog",
		description: "What has changed, newest first.",
		body,
		tree: plainMarkdown.parse(body),
		filePath: "CHANGELOG.md",
	};
}

/** Adds a page after all others, in a separate section. */
export function appendPage({ pages, sections }: Library, page: Page): Library {
	return { pages: [...pages, page], sections: [...sections, { title: LAST_SECTION, pages: [page] }] };
}

/** Builds the file that the docs API reads: every page with the positions of its headings, for the search. */
export function buildPagesFile({ pages }: Library): SiteFiles {
	const file: DocsFile = {
		pages: pages.map((page) => ({
			slug: page.slug,
			title: page.title,
			description: page.description,
			body_md: page.body,
			file_path: page.filePath,
			headings: headingsOf(page.tree),
		})),
	};
	return new Map([["docs.json", JSON.stringify(file)]]);
}

/**
 * Finds the headings with a parser. A regular expression would take `# a comment` in a code block as a heading, and would miss a title that
 * is underlined with `===`.
 */
function headingsOf(tree: Root): DocsFile["pages"][number]["headings"] {
	const headings: { text: string; start: number; end: number }[] = [];
	visit(tree, "heading", (heading) => {
		const { start, end } = heading.position ?? {};
		if (start?.offset !== undefined && end?.offset !== undefined)
			headings.push({ text: textOf(heading), start: start.offset, end: end.offset });
	});
	return headings;
}
