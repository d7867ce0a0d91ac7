// Two artifacts have equal files if their digests are equal, however they were packed.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { digestFiles } from "../../src/core/judging/artifacts/files-digest.ts";
import { generateSubmissionMd } from "../../src/core/judging/artifacts/packing.ts";
import { buildZip, type ZipEntry } from "../support/archives.ts";

async function digestOf(entries: readonly ZipEntry[]): Promise<string> {
	const key = `artifacts/${crypto.randomUUID()}`;
	await env.BUCKET.put(key, buildZip({ entries }));
	return digestFiles({ bucket: env.BUCKET }, key);
}

const STORED = 0;
const MD = "SUBMISSION.md";
const parser = { name: "src/parser.js", content: "export const parse = (text) => text.split(',');\n" };
const test = { name: "test/parser.test.js", content: "import assert from 'node:assert';\n" };
const own = { name: MD, content: "# What I Built\nA parser.\n" };
const generated = { name: MD, content: generateSubmissionMd([parser.name, test.name]) };

it("the digest is the same in any order, and packed in any way", async () => {
	const digest = await digestOf([own, parser, test]);
	expect(digest).toMatch(/^[0-9a-f]{64}$/);
	expect(await digestOf([test, own, parser])).toBe(digest);
	expect(await digestOf([own, { ...parser, method: STORED }, { ...test, descriptor: true }])).toBe(digest);
	expect(await digestOf([{ name: "src/", content: "" }, own, parser, test])).toBe(digest);
});

it("a SUBMISSION.md that the platform has generated does not count, and any other one does", async () => {
	const without = await digestOf([parser, test]);
	expect(await digestOf([generated, parser, test])).toBe(without);
	expect(await digestOf([own, parser, test])).not.toBe(without);
	const changed = { ...generated, content: generated.content.replace("The platform", "An agent") };
	expect(await digestOf([changed, parser, test])).not.toBe(without);
});

it("what an operating system has added to a zip does not count", async () => {
	const names = [".DS_Store", "src/.DS_Store", "__MACOSX/src/._parser.js", "src/._parser.js", "Thumbs.db", "src/Desktop.ini"];
	const added = names.map((name) => ({ name, content: "x" }));
	expect(await digestOf([...added, own, parser, test])).toBe(await digestOf([own, parser, test]));
	expect(await digestOf([own, parser, test, { name: "src/.parser.js", content: "x" }])).not.toBe(await digestOf([own, parser, test]));
});

it("every path and every byte counts", async () => {
	const digest = await digestOf([own, parser, test]);
	const others = [
		[own, { ...parser, name: "src/parse.js" }, test],
		[own, { ...parser, content: `${parser.content} ` }, test],
		[own, { ...parser, content: test.content }, { ...test, content: parser.content }],
		[own, parser],
		[own, parser, test, { name: "empty.txt", content: "" }],
	];
	const digests = await Promise.all(others.map(digestOf));
	expect(new Set([digest, ...digests]).size).toBe(others.length + 1);
});

it("hundreds of files and a large one are read to their end", async () => {
	const many = Array.from({ length: 400 }, (_, index) => ({ name: `data/${index}.txt`, content: `${index}` }));
	const large = { name: "large.bin", content: new Uint8Array(3_000_000).fill(7) };
	const digest = await digestOf([own, ...many, large]);
	const last = large.content.slice();
	last[last.length - 1] = 8;
	expect(await digestOf([own, ...many, { ...large, content: last }])).not.toBe(digest);
});
