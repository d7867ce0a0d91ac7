import { env } from "cloudflare:workers";
import { strToU8, zipSync } from "fflate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { examineArchive, takeFirst } from "../../src/core/judging/artifacts/archive.ts";
import { artifactObjects, openArchive } from "../../src/core/judging/artifacts/artifact-index.ts";
import { ArchiveFault } from "../../src/core/judging/artifacts/policy.ts";
import { rangesOf } from "../../src/core/judging/artifacts/range-reader.ts";
import { examineFiles } from "../../src/core/judging/artifacts/rules.ts";
import { readEntry } from "../../src/core/judging/artifacts/unpacking.ts";
import { goodZipWith } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";

afterEach(() => vi.restoreAllMocks());

/** Counts the characters of all texts that are looked up in sets and maps and compared, which is the cost of comparing paths. */
function countComparedCharacters(): () => number {
	let characters = 0;
	for (const [prototype, method] of [
		...(["has", "add"] as const).map((name) => [Set.prototype, name] as const),
		...(["has", "get", "set"] as const).map((name) => [Map.prototype, name] as const),
		...(["startsWith", "endsWith", "includes", "localeCompare"] as const).map((name) => [String.prototype, name] as const),
	]) {
		const original: (...parameters: unknown[]) => unknown = Reflect.get(prototype, method);
		vi.spyOn(prototype as unknown as Record<string, (...parameters: unknown[]) => unknown>, method).mockImplementation(function (
			this: unknown,
			...parameters
		) {
			const [key] = parameters;
			if (typeof key === "string") characters += key.length;
			return Reflect.apply(original, this, parameters);
		});
	}
	return () => characters;
}

const DEPTH = 240;
const FILES = 500;
const DEEP_PATHS = Array.from({ length: FILES }, (_, index) => `${"d/".repeat(DEPTH)}${index}`);
const PATH_CHARACTERS = DEEP_PATHS.reduce((sum, path) => sum + path.length, 0);

describe("deep paths", () => {
	it("of a zip are compared in linear time", async () => {
		const zip = zipSync(Object.fromEntries(DEEP_PATHS.map((path) => [path, strToU8("x")])), { level: 0 });
		const compared = countComparedCharacters();
		const { files } = await takeFirst(examineArchive(rangesOf(zip)));
		expect(compared()).toBeLessThan(10 * PATH_CHARACTERS);
		vi.restoreAllMocks();
		expect(files).toHaveLength(FILES);
	});

	it("of a quick-submit are also compared in linear time", () => {
		const compared = countComparedCharacters();
		const step = examineFiles(Object.fromEntries(DEEP_PATHS.map((path) => [path, "x"]))).next();
		expect(compared()).toBeLessThan(10 * PATH_CHARACTERS);
		expect(step.done).toBe(true);
	});
});

describe("many files inside a path that is a file", () => {
	const refused = ["d", ...DEEP_PATHS];

	it("are refused in linear time", () => {
		const compared = countComparedCharacters();
		const step = examineFiles(Object.fromEntries(refused.map((path) => [path, "x"])));
		const faults = [...step];
		expect(compared()).toBeLessThan(10 * PATH_CHARACTERS);
		vi.restoreAllMocks();
		expect(faults).toHaveLength(FILES);
	});

	it("of a zip are also refused in linear time", async () => {
		const zip = zipSync(Object.fromEntries(refused.map((path) => [path, strToU8("x")])), { level: 0 });
		const compared = countComparedCharacters();
		const refusal = await takeFirst(examineArchive(rangesOf(zip))).catch((error: unknown) => error);
		expect(compared()).toBeLessThan(10 * PATH_CHARACTERS);
		expect(refusal).toBeInstanceOf(ArchiveFault);
	});
});

describe("the index of an artifact", () => {
	/** Opens a stored zip with a bucket that records the keys of its reads and writes. */
	function watchedOpening(key: string) {
		const calls: string[] = [];
		const { bucket, use } = watchBucket({
			before: (call, called) => {
				calls.push(`${call} ${called}`);
			},
		});
		return { calls, use, open: () => openArchive(bucket, key) };
	}

	it("is stored by the first opening, and later ones read nothing else", async () => {
		const key = `artifacts/${crypto.randomUUID()}.zip`;
		await env.BUCKET.put(key, goodZipWith());
		const first = await watchedOpening(key).open();
		const { calls, open } = watchedOpening(key);
		const again = await open();
		expect(again.files).toEqual(first.files);
		expect(calls).toEqual([`get ${key}.index`]);
		const [file] = again.files;
		if (file === undefined) throw new Error("The zip has no file.");
		expect(await readEntry(again, file)).toEqual(await readEntry(first, file));
		expect(artifactObjects(key)).toEqual([key, `${key}.index`]);
	});

	it("contains the reason of a refusal, so that the zip is examined once", async () => {
		const key = `artifacts/${crypto.randomUUID()}.zip`;
		await env.BUCKET.put(key, goodZipWith([{ name: "../evil", content: "x" }]));
		const refusalOf = (opening: Promise<unknown>) => opening.then(() => null).catch((error: unknown) => error);
		const first = await refusalOf(watchedOpening(key).open());
		const { calls, open } = watchedOpening(key);
		const again = await refusalOf(open());
		expect(first).toBeInstanceOf(ArchiveFault);
		expect(again).toBeInstanceOf(ArchiveFault);
		expect(again).toMatchObject({ message: first instanceof ArchiveFault ? first.message : "", path: "../evil" });
		expect(calls).toEqual([`get ${key}.index`]);
	});
});
