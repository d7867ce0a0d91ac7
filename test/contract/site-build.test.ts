// Building the static files: reading pages, noticing changes, and replacing what a running server reads.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fingerprintSources, isBuiltFrom, recordBuild } from "../../scripts/site/fingerprint.mjs";
import { buildPagesFile, parsePage, readPages } from "../../scripts/site/pages.ts";
import { listFiles, replaceFiles } from "../../scripts/site/site-files.ts";
import { docsFile } from "../../src/features/site/docs-pages.ts";

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
	it("all stand in the order, in sections that are not empty", async () => {
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
	it("has the headings of a reader, not those of a pattern", () => {
		const source = page("Setext\n======\n\n```sh\n# a comment\n```\n\n## With `code` and [a link](/docs)\n\nText # no heading\n");
		const [parsed] = docsFile.parse(
			JSON.parse(String(buildPagesFile({ pages: [parsePage("a/b.mdx", source)], sections: [] }).get("docs.json"))),
		).pages;
		expect(parsed).toMatchObject({ slug: "a/b", title: "A page", description: "About it.", file_path: "docs/pages/a/b.mdx" });
		expect(parsed?.headings.map(({ text }) => text)).toEqual(["Setext", "With code and a link"]);
		expect(parsed?.body_md.startsWith("Setext")).toBe(true);
	});

	it.each([
		["no frontmatter", "a.mdx", "# Title\n", /a\.mdx: it must start with frontmatter/],
		["no title", "a.mdx", "---\ndescription: x\n---\ntext\n", /frontmatter:[\s\S]*title/],
		["an unknown field", "a.mdx", "---\ntitle: x\nlayout: y\n---\ntext\n", /layout/],
		["YAML that is none", "a.mdx", '---\ntitle: "x\n---\ntext\n', /a\.mdx: /],
		["a brace that opens an expression", "a.mdx", page("One\n\nTwo {three\n"), /a\.mdx: line \d+: /],
		["a tag without its end", "a.mdx", page("A <b>bold\n"), /a\.mdx: line 6: /],
		["a path with capitals", "A b.mdx", page("x"), /lower-case/],
	])("with %s is refused by name and place", (_, path, source, message) => {
		expect(() => parsePage(path, source)).toThrow(message);
	});

	it("that the order names and nobody wrote is refused; one that it does not name comes last", async () => {
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
	it("replace those that changed, remove those that are gone, and leave the others untouched", async () => {
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

	it("are built again when a source's content has changed, was added or is gone, not when it was merely touched", () => {
		const root = join(folder, "project");
		const source = write("project/docs/pages/one.mdx", "one");
		write("project/dist/site/docs.json", "{}");
		write("project/dist/types/openapi.d.ts", "");
		const first = fingerprintSources(root);
		expect(isBuiltFrom(root, first)).toBe(false);
		recordBuild(root, first);
		expect(isBuiltFrom(root, first)).toBe(true);
		utimesSync(source, new Date(), new Date(0));
		expect(fingerprintSources(root)).toBe(first);
		write("project/docs/pages/one.mdx", "two");
		const changed = fingerprintSources(root);
		write("project/src/app.ts", "");
		const added = fingerprintSources(root);
		rmSync(source);
		expect(new Set([first, changed, added, fingerprintSources(root)]).size).toBe(4);
		rmSync(join(root, "dist/site"), { recursive: true });
		expect(isBuiltFrom(root, first)).toBe(false);
	});
});
