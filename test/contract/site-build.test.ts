// Tests the build of the static files: it reads pages, notices changes, and replaces files under a running server.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toString as textOf } from "mdast-util-to-string";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DOCS, fingerprintSources, isBuiltFrom, recordBuild, SITE } from "../../scripts/site/fingerprint.mjs";
import { buildPagesFile, parsePage, readPages } from "../../scripts/site/pages.ts";
import { listFiles, replaceFiles } from "../../scripts/site/site-files.ts";
import { docsFile } from "../../src/core/docs/docs-page.ts";
import { MAX_FILES, MAX_FILES_BYTES } from "../../src/core/judging/artifacts/rules.ts";

const PAGES = fileURLToPath(new URL("../../docs/pages", import.meta.url).href);
const page = (body: string) => `---\ntitle: A page\ndescription: About it.\n---\n\n${body}`;

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "site-build-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
	const file = join(folder, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
	return file;
}

describe("the pages of the project", () => {
	it("are all in the order, in sections that are not empty", async () => {
		const { pages, sections } = await readPages(PAGES);
		const paths = (await listFiles(PAGES)).filter((path) => path.endsWith(".mdx"));
		expect(pages.map(({ filePath }) => filePath.replace("docs/pages/", "")).toSorted()).toEqual(paths);
		expect(sections.map(({ title }) => title)).not.toContain("More");
		expect(sections.every((section) => section.pages.length > 0)).toBe(true);
	});

	it("have headings where the data of the docs API says", async () => {
		const library = await readPages(PAGES);
		const { pages } = docsFile.parse(JSON.parse(String(buildPagesFile(library).get("docs.json"))));
		expect(pages.flatMap(({ headings }) => headings).length).toBeGreaterThan(pages.length);
		for (const { slug, body_md, headings } of pages) {
			for (const { text, start, end } of headings) {
				const source = body_md.slice(start, end);
				expect({ slug, source }).toEqual({ slug, source: expect.stringMatching(/^#{1,6} |\n(=+|-+)$/) });
				expect(source.replace(/[`*_\\]|\]\([^)]*\)|\[/g, "")).toContain(text.replace(/[`*_\\[\]]/g, ""));
			}
		}
	});
});

describe("a page", () => {
	it("has the headings of Markdown, not those of a pattern", () => {
		const source = page("Setext\n======\n\n```sh\n# a comment\n```\n\n## With `code` and [a link](/docs)\n\nText # no heading\n");
		const [parsed] = docsFile.parse(
			JSON.parse(String(buildPagesFile({ pages: [parsePage("a/b.mdx", source)], sections: [] }).get("docs.json"))),
		).pages;
		expect(parsed).toMatchObject({ slug: "a/b", title: "A page", description: "About it.", file_path: "docs/pages/a/b.mdx" });
		expect(parsed?.headings.map(({ text }) => text)).toEqual(["Setext", "With code and a link"]);
		expect(parsed?.body_md.startsWith("Setext")).toBe(true);
	});

	it("has the limits of the code in place of their names", () => {
		const { body, tree } = parsePage("a.mdx", page("At most {limit:FILES} files, {limit:QUICK_SUBMIT} together.\n"));
		expect(body).toBe(`At most ${MAX_FILES.toLocaleString("en")} files, ${MAX_FILES_BYTES / 1_048_576} MB together.\n`);
		expect(textOf(tree)).toBe(body.trim());
	});

	it.each([
		["no frontmatter", "a.mdx", "# Title\n", /a\.mdx: it must start with frontmatter/],
		["no title", "a.mdx", "---\ndescription: x\n---\ntext\n", /frontmatter:[\s\S]*title/],
		["an unknown field", "a.mdx", "---\ntitle: x\nlayout: y\n---\ntext\n", /layout/],
		["YAML that is none", "a.mdx", '---\ntitle: "x\n---\ntext\n', /a\.mdx: /],
		["a brace that opens an expression", "a.mdx", page("One\n\nTwo {three\n"), /a\.mdx: line \d+: /],
		["a tag without its end", "a.mdx", page("A <b>bold\n"), /a\.mdx: line 6: /],
		["a path with capitals", "A b.mdx", page("x"), /lower-case/],
		["a limit that does not exist", "a.mdx", page("At most {limit:NOTHING}."), /a\.mdx: There is no limit "NOTHING"/],
		["an element", "a.mdx", page("<b>bold</b>"), /line 1 of the text: pages are plain Markdown/],
		["a component within text", "a.mdx", page("see <Widget onload={alert(1)} />"), /plain Markdown/],
		["an expression", "a.mdx", page("{alert(1)}"), /plain Markdown/],
		["an expression within text", "a.mdx", page("one {1 + 1} two"), /plain Markdown/],
		["an import", "a.mdx", page('import x from "./x"'), /plain Markdown/],
		["a picture of another host", "a.mdx", page("![x](https://example.com/x.png)"), /plain Markdown/],
		["a picture without a description", "a.mdx", page("![](/docs/pictures/x.webp)"), /plain Markdown/],
		["a link that is a script", "a.mdx", page("[x](javascript:alert(1))"), /the link to "javascript:alert\(1\)"/],
		["a link that is data", "a.mdx", page("[x](data:text/html,x)"), /the link to/],
		["a link to another host in disguise", "a.mdx", page("[x](//example.com)"), /the link to/],
		["a link that depends on where the page stands", "a.mdx", page("[x](tasks)"), /the link to/],
		["a link by reference that is a script", "a.mdx", page("[x][y]\n\n[y]: javascript:alert(1)"), /the link to/],
	])("with %s is refused by name and place", (_, path, source, message) => {
		expect(() => parsePage(path, source)).toThrow(message);
	});

	it("may link to URLs, mail addresses, paths of this site, anchors and the platform's own origin", () => {
		const links = [
			"https://example.com",
			"mailto:a@example.com",
			"/docs/concepts/tasks",
			"#states",
			"{base_url}/openapi.json",
			"{base_url}",
		];
		const { body } = parsePage("a.mdx", page(links.map((link) => `[x](${link})`).join("\n")));
		for (const link of links) expect(body).toContain(link);
	});

	it("that is in the order but missing is refused, and one without a place comes last", async () => {
		write("pages/one.mdx", page("x"));
		write("pages/deep/two.mdx", page("x"));
		write("pages/order.json", '[{ "section": "First", "pages": ["one"] }]');
		const { pages, sections } = await readPages(join(folder, "pages"));
		expect(pages.map(({ slug }) => slug)).toEqual(["one", "deep/two"]);
		expect(sections.map(({ title }) => title)).toEqual(["First", "More"]);
		for (const wanted of [
			["one", "three"],
			["one", "one"],
		]) {
			write("pages/order.json", JSON.stringify([{ section: "First", pages: wanted }]));
			await expect(readPages(join(folder, "pages"))).rejects.toThrow("order.json");
		}
	});
});

describe("built files", () => {
	it("replace those that changed, remove those that are gone, and keep the others", async () => {
		const site = join(folder, "site");
		await replaceFiles(
			site,
			new Map([
				["same.txt", "same"],
				["docs/changed.html", "old"],
				["gone.txt", "x"],
			]),
		);
		const past = new Date(1_000_000_000_000);
		for (const path of ["same.txt", "docs/changed.html"]) utimesSync(join(site, path), past, past);
		await replaceFiles(
			site,
			new Map<string, string | Uint8Array>([
				["same.txt", "same"],
				["docs/changed.html", "new"],
				["bytes.bin", new Uint8Array([0, 255])],
			]),
		);
		expect(await listFiles(site)).toEqual(["bytes.bin", "docs/changed.html", "same.txt"]);
		expect(readFileSync(join(site, "docs/changed.html"), "utf8")).toBe("new");
		expect([...readFileSync(join(site, "bytes.bin"))]).toEqual([0, 255]);
		expect(statSync(join(site, "same.txt")).mtime).toEqual(past);
		expect(readdirSync(folder).filter((name) => name.startsWith("site."))).toEqual([]);
	});

	it("do not replace another build's files", async () => {
		const site = join(folder, "shared");
		write("shared/docs/page.html", "page");
		write("shared/gone.txt", "x");
		await replaceFiles(site, new Map([["index.html", "home"]]), { keep: "docs/" });
		expect(await listFiles(site)).toEqual(["docs/page.html", "index.html"]);
	});

	it("are built again if a source was changed, added or removed, but not if it was touched", () => {
		const root = join(folder, "project");
		const source = write("project/docs/pages/one.mdx", "one");
		write("project/dist/site/docs.json", "{}");
		const first = fingerprintSources(root, SITE);
		expect(isBuiltFrom(root, SITE, first)).toBe(false);
		recordBuild(root, SITE, first);
		expect(isBuiltFrom(root, SITE, first)).toBe(true);
		utimesSync(source, new Date(), new Date(0));
		expect(fingerprintSources(root, SITE)).toBe(first);
		write("project/docs/pages/one.mdx", "two");
		const changed = fingerprintSources(root, SITE);
		write("project/src/app.ts", "");
		const added = fingerprintSources(root, SITE);
		rmSync(source);
		expect(new Set([first, changed, added, fingerprintSources(root, SITE)]).size).toBe(4);
		rmSync(join(root, "dist/site"), { recursive: true });
		expect(isBuiltFrom(root, SITE, first)).toBe(false);
	});

	it("of the documentation depend on its own sources, not on what is installed or built in its folder", () => {
		const root = join(folder, "docs-project");
		write("docs-project/docs-site/astro.config.ts", "one");
		const first = fingerprintSources(root, DOCS);
		for (const path of ["node_modules/a/index.js", "dist/index.html", ".astro/types.d.ts"]) write(`docs-project/docs-site/${path}`, "x");
		write("docs-project/src/app.ts", "x");
		expect(fingerprintSources(root, DOCS)).toBe(first);
		write("docs-project/docs-site/astro.config.ts", "two");
		const changed = fingerprintSources(root, DOCS);
		write("docs-project/docs/openapi.json", "{}");
		expect(new Set([first, changed, fingerprintSources(root, DOCS)]).size).toBe(3);
	});
});

describe("the packages of the documentation", () => {
	const lock = readFileSync(fileURLToPath(new URL("../../docs-site/package-lock.json", import.meta.url).href), "utf8");

	it("are locked in exact versions, without the name of a registry", () => {
		const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
			readFileSync(fileURLToPath(new URL("../../docs-site/package.json", import.meta.url).href), "utf8"),
		);
		for (const [name, version] of Object.entries(dependencies))
			expect({ name, version }).toEqual({ name, version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
		expect(lock).not.toMatch(/"resolved"/);
	});
});
