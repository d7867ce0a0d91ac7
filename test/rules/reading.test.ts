// Tests how a judge reads an artifact: no folder and no generated file displaces work, and every file is read, cut or listed.
import { describe, expect, it } from "vitest";
import { type Coverage, coverageByPath, readTexts, type TextSource } from "../../src/core/judging/artifacts/reading.ts";
import { planReadingOf } from "../../src/core/judging/engine/choose.ts";
import { judgeSettings } from "../support/judging.ts";
import { evaluationRequest } from "../support/scripted-model.ts";

const LINE = "export const value = compute(something);\n";

function source(path: string, content: string | Uint8Array<ArrayBuffer>, isWithinReach = () => true): TextSource {
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	return { path, bytes: bytes.byteLength, isWithinReach, read: () => Promise.resolve(bytes) };
}

const linesOf = (length: number) => LINE.repeat(Math.ceil(length / LINE.length)).slice(0, length);
const total = (files: readonly { text: string }[]) => files.reduce((sum, { text }) => sum + text.length, 0);

const numbered = (count: number, nameOf: (index: number) => string, length: number) =>
	Array.from({ length: count }, (_, index) => source(nameOf(index), linesOf(length)));

describe("reading", () => {
	it("gives each file the same room, cut at the end of a line, and says how many lines it has", async () => {
		const sources = ["a.js", "b.js", "c.js", "d.js"].map((path) => source(path, linesOf(150_000)));
		const { files, unreadPaths } = await readTexts([...sources, source("short.js", LINE)]);
		expect(files.map(({ path }) => path)).toEqual(["a.js", "b.js", "c.js", "d.js", "short.js"]);
		for (const { text, totalLines } of files.slice(0, 4)) {
			expect(totalLines).toBe(Math.ceil(150_000 / LINE.length));
			expect(text.endsWith("\n")).toBe(true);
			expect(text.length).toBeGreaterThan(99_000);
		}
		expect(total(files)).toBeLessThanOrEqual(400_000);
		expect(unreadPaths).toEqual([]);
	});

	it("gives others what a file leaves that proves to be no text", async () => {
		const binaries = ["a.dat", "b.dat"].map((path) => source(path, new Uint8Array(190_000).fill(0xff)));
		const { files } = await readTexts([...binaries, ...numbered(300, (index) => `src/${index}.js`, 2_000)]);
		expect(total(files)).toBeGreaterThan(380_000);
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
		const sources = ["z.js", "dist/b.js", "a.js", "package.json", "README.md"].map((path) => source(path, linesOf(99_000)));
		const once = await readTexts(sources);
		expect(await readTexts(sources.toReversed())).toEqual(once);
		expect(once.files.map(({ path }) => path)).toEqual(["README.md", "a.js", "package.json", "z.js", "dist/b.js"]);
	});
});

/** Predicts for each file how much of it a call shows. */
async function predict(sources: readonly TextSource[], room = 400_000): Promise<Map<string, Coverage>> {
	const config = { judge: judgeSettings({ JUDGE_MAX_INPUT_CHARACTERS: String(room) }) };
	return planReadingOf(config, evaluationRequest(await readTexts(sources)));
}

/** Counts the files of a folder that a call shows whole. */
async function countShown(sources: readonly TextSource[], folder: string, room = 400_000): Promise<number> {
	return [...(await predict(sources, room))].filter(([path, coverage]) => path.startsWith(folder) && coverage === "full").length;
}

describe("the division of the room", () => {
	const sources = numbered(30, (index) => `src/part-${index}.js`, 3_000);
	const tests = numbered(20, (index) => `tests/part-${index}.test.js`, 2_000);

	it.each([
		["a dist folder of two files of 190 KB", numbered(2, (index) => `dist/bundle-${index}.js`, 190_000)],
		["40 files of node_modules", numbered(40, (index) => `node_modules/a/${index}.js`, 20_000)],
		["minified files and lock files", [source("a.min.js", linesOf(190_000)), source("package-lock.json", linesOf(190_000))]],
		["long documents", numbered(4, (index) => `a-docs/${index}.md`, 190_000)],
		["a padded README", [source("README.md", linesOf(199_000)), source("SUBMISSION.md", linesOf(199_000))]],
		["500 pictures", numbered(500, (index) => `a/${index}.png`, 150_000)],
	])("shows all source files and tests together with %s", async (_, others) => {
		const files = [...others, ...sources, ...tests];
		expect([await countShown(files, "src/"), await countShown(files, "tests/")]).toEqual([30, 20]);
	});

	it("alternates between the folders, so that the first folder does not take all", async () => {
		const folders = ["a", "b", "c", "z"].flatMap((folder) => numbered(300, (index) => `src/${folder}/${index}.js`, 1_500));
		const shown = await Promise.all(["a", "b", "c", "z"].map((folder) => countShown(folders, `src/${folder}/`)));
		expect(Math.min(...shown)).toBeGreaterThan(0);
		expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
	});

	it("still shows generated files if there is room for them", async () => {
		expect(await countShown([...sources, source("dist/bundle.js", linesOf(100_000))], "dist/")).toBe(1);
	});

	it("is the same in a call with less room than the files", async () => {
		const files = [...numbered(60, (index) => `src/${index}.js`, 1_500), ...numbered(30, (index) => `tests/${index}.js`, 1_500)];
		expect(await countShown(files, "tests/", 100_000)).toBeGreaterThanOrEqual(15);
		expect(await countShown(files, "src/", 100_000)).toBeGreaterThanOrEqual(15);
	});
});

describe("the prediction", () => {
	it("names every file once: full, cut or not read", async () => {
		const files = [...numbered(3, (index) => `src/${index}.js`, 90_000), source("z.js", LINE), source("logo.png", "\0")];
		expect([...(await predict(files, 100_000))].toSorted()).toEqual([
			["logo.png", "not_read"],
			["src/0.js", "cut"],
			["src/1.js", "cut"],
			["src/2.js", "cut"],
			["z.js", "full"],
		]);
		expect(new Set((await predict(files, 4_000_000)).values())).toEqual(new Set(["full", "not_read"]));
	});

	it("says the same of a judge without a call", async () => {
		const read = await readTexts([source("a.js", LINE), source("b.js", new Uint8Array([0xff]))]);
		expect(planReadingOf({ judge: { kind: "offline" } }, evaluationRequest(read))).toEqual(coverageByPath(read));
	});
});
