// Tests how a judge reads an artifact: neither claims nor generated files displace work, and every file is read, cut or listed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverageByPath, readTexts, type TextSource } from "../../src/features/judging/artifacts/reading.ts";
import { planReading } from "../../src/features/judging/model/prompt.ts";
import { judgeRequest } from "../support/judging.ts";

const LINE = "export const value = compute(something);\n";

function source(path: string, content: string | Uint8Array<ArrayBuffer>, isWithinReach = () => true): TextSource {
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	return { path, bytes: bytes.byteLength, isWithinReach, read: () => Promise.resolve(bytes) };
}

const linesOf = (length: number) => LINE.repeat(Math.ceil(length / LINE.length)).slice(0, length);
const total = (files: readonly { text: string }[]) => files.reduce((sum, { text }) => sum + text.length, 0);

describe("reading", () => {
	it("gives claims a quarter of the room, however long they are", async () => {
		const claims = ["SUBMISSION.md", "README.md", "docs/README.md", "lib/readme.txt"].map((path) => source(path, linesOf(190_000)));
		const work = [source("src/a.js", linesOf(190_000)), source("src/b.js", linesOf(100_000)), source("src/c.js", LINE)];
		const { files, unreadPaths } = await readTexts([...claims, ...work]);
		expect(total(files.filter(({ isClaim }) => isClaim))).toBeLessThanOrEqual(100_000);
		expect(total(files.filter(({ isClaim }) => !isClaim))).toBe(290_000 + LINE.length);
		expect(coverageByPath({ files, unreadPaths })).toEqual(
			new Map([
				["SUBMISSION.md", "cut"],
				["src/a.js", "full"],
				["src/b.js", "full"],
				["src/c.js", "full"],
				["README.md", "not_read"],
				["docs/README.md", "not_read"],
				["lib/readme.txt", "not_read"],
			]),
		);
	});

	it("gives documents the whole room if they are the work", async () => {
		const chapters = ["SUBMISSION.md", "chapters/1.md", "chapters/2.md", "chapters/3.md"].map((path) => source(path, linesOf(60_000)));
		const { files, unreadPaths } = await readTexts(chapters);
		expect(unreadPaths).toEqual([]);
		expect(total(files)).toBe(240_000);
	});

	it("recognises a claim with any name", async () => {
		const disguised = ["README\u200b.md", "docs/README.md ", "ＲＥＡＤＭＥ.md", "SUBMISSION\ufe0f.md", "submission.md\u2060", "READМЕ"];
		const { files } = await readTexts([...disguised, "src/a.js"].map((path) => source(path, LINE)));
		expect(files.filter(({ isClaim }) => isClaim).map(({ path }) => path)).toEqual(disguised.toSorted());
	});

	it.each([
		"EVALUATION-REPORT.md",
		"docs/design.md",
		"CHANGELOG.md",
		"test-output.txt",
		"run.log",
		"LICENSE",
		"docs/AUTHORS",
		"lib/NOTICE.rst",
	])("treats %s as a claim", async (path) => {
		expect((await readTexts([source(path, LINE)])).files).toMatchObject([{ isClaim: true }]);
	});

	it.each(["src/a.js", "Makefile", ".eslintrc", "data/cities.csv", "CMakeLists.txt", "requirements.txt", "proofs/main.lean"])(
		"treats %s as work",
		async (path) => {
			expect((await readTexts([source(path, LINE)])).files).toMatchObject([{ isClaim: false }]);
		},
	);

	it("treats a script without an extension as work, and prose with an unknown one as a claim", async () => {
		const prose = "The parser handles every quoted field, every escaped quote and every line break inside of a field.\n".repeat(20);
		const { files } = await readTexts([source("bin/tool", "#!/bin/sh\nexec node main.js\n"), source("proof.zzz", prose)]);
		expect(files.map(({ path, isClaim }) => [path, isClaim])).toEqual([
			["bin/tool", false],
			["proof.zzz", true],
		]);
	});

	it("cuts the file that fills the room at the end of a line, and says how many lines it has", async () => {
		const { files, unreadPaths } = await readTexts(["a.js", "b.js", "c.js", "d.js"].map((path) => source(path, linesOf(150_000))));
		const cut = files.at(-1);
		expect(files.map(({ path }) => path)).toEqual(["a.js", "b.js", "c.js"]);
		expect(cut?.totalLines).toBe(Math.ceil(150_000 / LINE.length));
		expect(cut?.text.endsWith("\n")).toBe(true);
		expect(total(files)).toBeGreaterThan(400_000 - LINE.length);
		expect(total(files)).toBeLessThanOrEqual(400_000);
		expect(unreadPaths).toEqual(["d.js"]);
	});

	it.each([
		["is too large", source("x.js", linesOf(200_001))],
		["has a NUL", source("x.js", "text\0text\n")],
		["is not UTF-8", source("x.js", new Uint8Array([0xff, 0xfe, 0x41]))],
		["is out of reach", source("x.js", LINE, () => false)],
	])("lists a file that %s as not read", async (_, file) => {
		const { files, unreadPaths } = await readTexts([file, source("y.js", LINE)]);
		expect(files.map(({ path }) => path)).toEqual(["y.js"]);
		expect(unreadPaths).toEqual(["x.js"]);
	});

	it("is the same in any order of the files", async () => {
		const sources = ["z.js", "SUBMISSION.md", "a.js", "package.json", "README.md"].map((path) => source(path, linesOf(99_000)));
		const once = await readTexts(sources);
		expect(await readTexts(sources.toReversed())).toEqual(once);
		expect(once.files.map(({ path }) => path)).toEqual(["SUBMISSION.md", "README.md", "package.json", "a.js", "z.js"]);
	});
});

const numbered = (count: number, nameOf: (index: number) => string, length: number) =>
	Array.from({ length: count }, (_, index) => source(nameOf(index), linesOf(length)));

/** Counts the files of a folder that a request shows whole, after reading and after the plan of the request. */
async function countShown(sources: readonly TextSource[], folder: string, maxCharacters = 400_000): Promise<number> {
	const artifact = await readTexts(sources);
	const { criterion: _, ...request } = judgeRequest(artifact);
	return [...planReading(request, maxCharacters)].filter(([path, reading]) => path.startsWith(folder) && reading === "full").length;
}

describe("the shares of the room", () => {
	const sources = numbered(30, (index) => `src/part-${index}.js`, 4_000);
	const tests = numbered(20, (index) => `tests/part-${index}.test.js`, 2_000);

	it.each([
		["a dist folder of two files of 190 KB", numbered(2, (index) => `dist/bundle-${index}.js`, 190_000)],
		["40 small files of a dist folder", numbered(40, (index) => `dist/${index}.js`, 20_000)],
		["40 files of node_modules", numbered(40, (index) => `node_modules/a/${index}.js`, 20_000)],
		["a table of 190 KB", numbered(1, () => "data/table.csv", 190_000)],
		["minified files and lock files", [source("a.min.js", linesOf(190_000)), source("package-lock.json", linesOf(190_000))]],
		["long documents", numbered(4, (index) => `a-docs/${index}.md`, 190_000)],
	])("show all source files and tests together with %s", async (_, others) => {
		const files = [...others, ...sources, ...tests];
		expect([await countShown(files, "src/"), await countShown(files, "tests/")]).toEqual([30, 20]);
	});

	it("show tests, settings and documents together with 120 source files", async () => {
		const many = numbered(120, (index) => `src/part-${index}.js`, 6_000);
		const others = [...numbered(20, (index) => `tests/${index}.test.js`, 6_000), source("package.json", "{}"), source("README.md", LINE)];
		const files = [...many, ...others];
		expect(await countShown(files, "tests/")).toBeGreaterThanOrEqual(10);
		expect(await countShown(files, "src/")).toBeGreaterThanOrEqual(30);
		expect(await countShown(files, "package.json")).toBe(1);
		expect(await countShown(files, "README.md")).toBe(1);
	});

	it("alternate between the folders, so that the first folder does not take all", async () => {
		const folders = ["a", "b", "c", "z"].flatMap((folder) => numbered(30, (index) => `src/${folder}/${index}.js`, 10_000));
		const shown = await Promise.all(["a", "b", "c", "z"].map((folder) => countShown(folders, `src/${folder}/`)));
		expect(Math.min(...shown)).toBeGreaterThan(0);
		expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
	});

	it("let small files come before two large ones with early names", async () => {
		const padding = numbered(2, (index) => `src/a-${index}.js`, 199_000);
		expect(await countShown([...padding, ...numbered(10, (index) => `src/part-${index}.js`, 4_000)], "src/part")).toBe(10);
	});

	it("still show generated files if there is room for them", async () => {
		expect(await countShown([...sources, source("dist/bundle.js", linesOf(100_000))], "dist/")).toBe(1);
	});

	it("are the same in a call with less room than the files", async () => {
		const files = [...numbered(60, (index) => `src/${index}.js`, 4_000), ...numbered(30, (index) => `tests/${index}.js`, 4_000)];
		expect(await countShown(files, "tests/", 100_000)).toBeGreaterThanOrEqual(2);
		expect(await countShown(files, "src/", 100_000)).toBeGreaterThanOrEqual(8);
	});

	it("never take more than the room, and show everything if it fits", () => {
		const kind = fc.constantFrom("src/a", "tests/a", "docs/a.md", "a.json", "dist/a");
		fc.assert(
			fc.property(fc.array(fc.tuple(kind, fc.integer({ min: 0, max: 300 })), { maxLength: 30 }), (list) => {
				const files = list.map(([path, lines], index) => ({ path: `${index}/${path}`, text: LINE.repeat(lines), isClaim: false }));
				const { criterion: _, ...request } = judgeRequest({ files });
				const readings = [...planReading(request, 10_000_000).values()];
				expect(readings).toEqual(files.map(() => "full"));
			}),
			{ numRuns: 30 },
		);
	});
});

describe("the plan of a call", () => {
	it("names every file once: full, cut or not read", async () => {
		const sources = ["SUBMISSION.md", "a.js", "b.js", "c.js", "d.js"].map((path) => source(path, linesOf(90_000)));
		const artifact = await readTexts([...sources, source("logo.png", "\0")]);
		const { criterion: _, ...request } = judgeRequest(artifact);
		expect([...planReading(request, 200_000)].toSorted()).toEqual([
			["SUBMISSION.md", "cut"],
			["a.js", "full"],
			["b.js", "cut"],
			["c.js", "not_read"],
			["d.js", "not_read"],
			["logo.png", "not_read"],
		]);
		expect(new Set(planReading(request, 4_000_000).values())).toEqual(new Set(["full", "cut", "not_read"]));
	});
});
