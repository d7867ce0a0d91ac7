// The built pages as they are before a browser sees them: what they link to, and what they must not have.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Library, parsePage, readPages } from "../../scripts/site/pages.ts";
import { buildHtml } from "../../site/build.ts";
import { pathOf } from "../../site/docs-page.ts";
import { renderMarkdown } from "../../site/markdown.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

/** Large enough for what the pages do, small enough to stay unnoticed on a phone. */
const MAX_SCRIPT_BYTES = 7_000;
const MAX_STYLE_BYTES = 20_000;

let library: Library;
/** Text of every HTML file, by the path that shows it. */
let pages: Map<string, string>;
let files: Map<string, string | Uint8Array>;

beforeAll(async () => {
	library = await readPages(join(PROJECT_ROOT, "docs", "pages"));
	files = await buildHtml(library);
	const html = [...files].filter(([path]) => path.endsWith(".html"));
	pages = new Map(html.map(([path, content]) => [path === "index.html" ? "/" : `/${path.slice(0, -".html".length)}`, String(content)]));
});

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = ""]) => found);
const idsOf = (html: string): string[] => matches(html, / id="([^"]*)"/g);
const hrefsOf = (html: string): string[] => matches(html, /<a [^>]*?href="([^"]*)"/g);

describe("the built pages", () => {
	it("are the reference and one for each page of the documentation", () => {
		expect([...pages.keys()].toSorted()).toEqual(["/reference", ...library.pages.map(pathOf)].toSorted());
	});

	it("link to what exists, anchors included", async () => {
		const { paths } = z
			.object({ paths: z.record(z.string(), z.object({ get: z.unknown() }).partial()) })
			.parse(JSON.parse(await readFile(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8")));
		const readable = Object.entries(paths).flatMap(([path, { get }]) =>
			get === undefined || /^\/(docs|assets)\//.test(path) ? [] : [path],
		);
		const exists = (path: string) =>
			pages.has(path) ||
			files.has(path.slice(1)) ||
			readable.includes(path) ||
			(path.endsWith(".md") && pages.has(path.replace(/(\/index)?\.md$/, "")));
		const broken = [...pages].flatMap(([from, html]) =>
			hrefsOf(html)
				.filter((href) => !/^(https?|mailto):/.test(href))
				.filter((href) => {
					const [path = "", anchor] = href.split("#");
					const target = path === "" ? html : (pages.get(path) ?? "");
					return (path !== "" && !exists(path)) || (anchor !== undefined && !idsOf(target).includes(decodeURIComponent(anchor)));
				})
				.map((href) => `${from} -> ${href}`),
		);
		expect(broken).toEqual([]);
		expect([...pages.values()].flatMap(hrefsOf).length).toBeGreaterThan(200);
	});

	it("refer to files that are built with them, under names that change with their content", () => {
		for (const html of pages.values()) {
			const loaded = [
				...matches(html, /<script src="([^"]*)"/g),
				...matches(html, /<link rel="(?:stylesheet|icon)"[^>]*? href="([^"]*)"/g),
			];
			expect(loaded.length).toBeGreaterThanOrEqual(3);
			for (const path of loaded) expect(files.has(path.slice(1)), path).toBe(true);
			for (const path of loaded) expect(path).toMatch(/^\/assets\/[\w-]+\.[0-9a-f]{10}\.(js|css|svg)$/);
		}
	});

	it("have nothing that a strict content security policy refuses", () => {
		for (const [path, html] of pages) {
			expect(html.match(/<style|<script(?![^>]* src=")|<[^>]* (style|on\w+)=|javascript:|<base|<iframe|<object/gi), path).toBe(null);
		}
	});

	it("have one first heading, no id twice, and a title and description of their own", () => {
		for (const [path, html] of pages) {
			expect(matches(html, /<h1[^>]*>([^<]+)</g).length, path).toBe(1);
			expect(new Set(idsOf(html)).size, path).toBe(idsOf(html).length);
			expect(matches(html, /<meta name="description" content="([^"]{10,})"/g).length, path).toBe(1);
		}
		const titles = [...pages.values()].flatMap((html) => matches(html, /<title>([^<]+)</g));
		expect(new Set(titles).size).toBe(pages.size);
	});

	it("leave the origin open in one piece, and never within an attribute, which a strange host could end", () => {
		for (const page of library.pages) {
			const html = pages.get(pathOf(page)) ?? "";
			const inText = page.body.replaceAll(/\]\(\{base_url\}/g, "").split("{base_url}").length;
			expect(html.split("{base_url}").length, page.slug).toBe(inText);
		}
		for (const [path, html] of pages) expect(html.match(/="[^"]*\{base_url\}/g), path).toBe(null);
	});

	it("have highlighted code in every language that they use", () => {
		const blocks = [...pages.values()].flatMap((html) =>
			matches(
				html,
				/<span class="code-label">([^<]*)<\/span><button[^>]*>Copy<\/button><\/div><pre[^>]*><code class="hljs language-(?!text)/g,
			),
		);
		expect(blocks.length).toBeGreaterThan(50);
		expect(blocks.filter((label) => label === "Text")).toEqual([]);
		expect(pages.get("/docs/quickstart/agents")).toMatch(/<code class="hljs language-sh">[\s\S]*?<span class="hljs-/);
	});

	it("come out the same from the same sources", async () => {
		const again = await buildHtml(library);
		expect([...again.keys()]).toEqual([...files.keys()]);
		for (const [path, content] of again) expect(Buffer.from(content).equals(Buffer.from(files.get(path) ?? "")), path).toBe(true);
	});

	it("load little that is their own", () => {
		const sizeOf = (name: RegExp) => Buffer.byteLength([...files].find(([path]) => name.test(path))?.[1] ?? "");
		expect(sizeOf(/^assets\/site\.\w+\.js$/)).toBeGreaterThan(0);
		expect(sizeOf(/^assets\/site\.\w+\.js$/)).toBeLessThan(MAX_SCRIPT_BYTES);
		expect(sizeOf(/^assets\/site\.\w+\.css$/)).toBeLessThan(MAX_STYLE_BYTES);
	});
});

describe("Markdown", () => {
	const render = (body: string): string => renderMarkdown(parsePage("page.mdx", `---\ntitle: Page\n---\n${body}\n`)).html;

	it.each([
		["an element", "<b>bold</b>"],
		["a script", "<script>alert(1)</script>"],
		["a component within text", "see <Widget onload={alert(1)} />"],
		["an expression", "{alert(1)}"],
		["an expression within text", "one {1 + 1} two"],
		["an import", 'import x from "./x"'],
		["a picture", "![x](https://example.com/x.png)"],
		["a link that is a script", "[x](javascript:alert(1))"],
		["a link that is data", "[x](data:text/html,x)"],
		["a link to another host in disguise", "[x](//example.com)"],
		["a link that depends on where the page stands", "[x](tasks)"],
	])("refuses %s", (_, body) => {
		expect(() => render(body)).toThrow(/^docs\/pages\/page\.mdx: /);
	});

	it("shows markup in code as text", () => {
		expect(render("```text\n<img src=x onerror=alert(1)>\n```")).toContain("&#x3C;img src=x onerror=alert(1)>");
		expect(render("`<b>`")).toContain("<code>&#x3C;b></code>");
	});

	it("links headings to themselves, once each", () => {
		expect(render("## Same\n\ntext\n\n## Same")).toMatch(
			/<h2 id="same"><a href="#same" class="anchor">Same<\/a><\/h2>[\s\S]*<h2 id="same-1"><a href="#same-1" class="anchor">/,
		);
		expect(render("## See [tasks](/docs/concepts/tasks)")).toContain(
			'<h2 id="see-tasks"><a href="#see-tasks" class="anchor">See tasks</a></h2>',
		);
	});

	it("makes addresses of this platform paths of this site", () => {
		expect(render("[x]({base_url}/openapi.json)")).toContain('href="/openapi.json"');
	});
});
