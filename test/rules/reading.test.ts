// What a judge reads of an artifact: claims displace no work, and every file is read, cut or listed.
import { describe, expect, it } from "vitest";
import { describeReading, readTexts, type TextSource } from "../../src/features/judging/artifacts/reading.ts";
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
	it("gives claims a quarter of the room, however much they are padded", async () => {
		const claims = ["SUBMISSION.md", "README.md", "docs/README.md", "lib/readme.txt"].map((path) => source(path, linesOf(190_000)));
		const work = [source("src/a.js", linesOf(190_000)), source("src/b.js", linesOf(100_000)), source("src/c.js", LINE)];
		const { files, unreadPaths } = await readTexts([...claims, ...work]);
		expect(total(files.filter(({ isClaim }) => isClaim))).toBeLessThanOrEqual(100_000);
		expect(total(files.filter(({ isClaim }) => !isClaim))).toBe(290_000 + LINE.length);
		expect(describeReading({ files, unreadPaths })).toEqual(
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

	it("takes a claim for one however its name is disguised", async () => {
		const disguised = ["README\u200b.md", "docs/README.md ", "ＲＥＡＤＭＥ.md", "SUBMISSION\ufe0f.md", "submission.md\u2060"];
		const { files } = await readTexts([...disguised, "docs/submission.md", "notes.md"].map((path) => source(path, LINE)));
		expect(files.filter(({ isClaim }) => isClaim).map(({ path }) => path)).toEqual(disguised.toSorted());
	});

	it("cuts the file that fills the room at the end of a line, and says how many lines it has", async () => {
		const { files, unreadPaths } = await readTexts(["a", "b", "c", "d"].map((path) => source(path, linesOf(150_000))));
		const cut = files.at(-1);
		expect(files.map(({ path }) => path)).toEqual(["a", "b", "c"]);
		expect(cut?.totalLines).toBe(Math.ceil(150_000 / LINE.length));
		expect(cut?.text.endsWith("\n")).toBe(true);
		expect(total(files)).toBeGreaterThan(400_000 - LINE.length);
		expect(total(files)).toBeLessThanOrEqual(400_000);
		expect(unreadPaths).toEqual(["d"]);
	});

	it.each([
		["is too large", source("x", linesOf(200_001))],
		["has a NUL", source("x", "text\0text\n")],
		["is not UTF-8", source("x", new Uint8Array([0xff, 0xfe, 0x41]))],
		["is out of reach", source("x", LINE, () => false)],
	])("lists a file that %s as not read", async (_, file) => {
		const { files, unreadPaths } = await readTexts([file, source("y", LINE)]);
		expect(files.map(({ path }) => path)).toEqual(["y"]);
		expect(unreadPaths).toEqual(["x"]);
	});

	it("is the same in any order of the files", async () => {
		const sources = ["z.js", "SUBMISSION.md", "a.js", "package.json", "README.md"].map((path) => source(path, linesOf(99_000)));
		const once = await readTexts(sources);
		expect(await readTexts(sources.toReversed())).toEqual(once);
		expect(once.files.map(({ path }) => path)).toEqual(["SUBMISSION.md", "README.md", "package.json", "a.js", "z.js"]);
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
