// The SDK and packages/python/tests/test_folders.py read a folder of work with the same cases.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { BountyClient, BountyUsageError, readWorkFolder } from "../../packages/sdk/src/node.ts";
import { makeContentKey } from "../../packages/sdk/src/submit/content-key.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

const caseSchema = z.object({
	name: z.string(),
	files: z.record(z.string(), z.string()),
	links: z.record(z.string(), z.string()).default({}),
	apiKey: z.string().optional(),
	includeSecrets: z.boolean().default(false),
	expected: z.object({
		files: z.array(z.string()),
		secrets: z.array(z.string()).default([]),
		links: z.array(z.string()).default([]),
		generated: z.array(z.string()).default([]),
		ignored: z.number().default(0),
	}),
});
const cases = z.array(caseSchema).parse(JSON.parse(await readFile(join(PROJECT_ROOT, "test/packages/work-folders.json"), "utf8")));

let folder = "";

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "work-folder-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
	for (const [path, content] of Object.entries(files)) {
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await writeFile(join(folder, path), content);
	}
}

describe("a folder of work", () => {
	it.each(cases.map((each) => [each.name, each] as const))("%s", async (_, { files, links, apiKey, includeSecrets, expected }) => {
		await write(files);
		for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path));
		const { totalBytes, ...work } = await readWorkFolder(folder, { includeSecrets, ...(apiKey === undefined ? {} : { apiKey }) });
		const { secrets, generated, ignored } = work;
		expect({ files: [...work.files.keys()], secrets, links: work.links, generated, ignored }).toEqual(expected);
		expect(totalBytes).toBe([...work.files.values()].reduce((sum, { length }) => sum + length, 0));
	});

	it("must be a folder that exists", async () => {
		await expect(readWorkFolder(join(folder, "none"))).rejects.toThrow(/does not exist/);
		await write({ file: "1" });
		await expect(readWorkFolder(join(folder, "file"))).rejects.toThrow(BountyUsageError);
	});

	it("is read by the rules of git", async () => {
		const patterns = [
			...["*.log", "!keep.log", "/top", "a/b", "a/*/c", "**/deep", "deep/**", "x/**/y", "?.txt", "[a-c].md", "[!a-c].md", "[^x]y"],
			...[
				"dir/",
				"/dir/",
				"!dir/keep",
				"foo*bar",
				"\\!odd",
				"\\#odd",
				"sp\\ ",
				"***",
				"a**b",
				"[",
				"[]x]",
				"[a",
				"*.",
				"",
				"# x",
				"/",
				"!",
			],
			...["**", "a/**", "!a/b/", "*/", "/*", "!/src", "\\", "c\\", "{a,b}", "a.c", "(x)", "a|b", "x+", "^x$", "[z-a]", "[a-\\]]"],
		];
		const names = [
			"a",
			"b",
			"c",
			"deep",
			"dir",
			"keep",
			"x",
			"y",
			"top",
			"src",
			"a.log",
			"keep.log",
			"1.txt",
			"a.md",
			"d.md",
			"foo-bar",
			"!odd",
			"#odd",
		];
		const odd = ["sp ", "]", "a.c", "abc", "{a,b}", "(x)", "a|b", "x+", "^x$", "azzb", "c\\"];
		const paths = [...names, ...odd].flatMap((first, at) => {
			const [second, third] = [names[(at * 7 + 3) % names.length], names[(at * 5 + 1) % names.length]];
			return [`f${at}/${first}`, `${first}.d/${second}`, `${first}.d/${second}.d/${third}`, `a/${first}x`, `x/${second}/y${at}`];
		});
		spawnSync("git", ["init", "-q", folder]);
		await write(Object.fromEntries(paths.map((path) => [path, "1"])));
		const counts = new Set<number>();
		for (let round = 0; round < 40; round += 1) {
			const rules = Array.from({ length: 4 }, (_, index) => patterns[(round * 11 + index * 17 + ((round * index) % 7)) % patterns.length]);
			await writeFile(join(folder, ".gitignore"), rules.join("\n"));
			const options = ["-c", "core.ignorecase=true", "-c", "core.quotepath=off", "-c", "core.excludesFile=/dev/null"];
			const listed = spawnSync("git", [...options, "ls-files", "-z", "--others", "--exclude-standard"], { cwd: folder, encoding: "utf8" });
			const expected = listed.stdout.split("\0").filter((path) => path !== "");
			const { files } = await readWorkFolder(folder, { includeSecrets: true });
			expect([...files.keys()].toSorted(), JSON.stringify(rules)).toEqual(expected.toSorted());
			counts.add(expected.length);
		}
		expect(counts.size).toBeGreaterThan(15);
	});
});

describe("the key of a submission's files", () => {
	const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text));

	it("depends on the content, in any order", async () => {
		const files = new Map([
			["b.txt", bytes("2")],
			["a.txt", bytes("1")],
		]);
		// The Python package computes the same key.
		const expected = "work-816384f2a4a4e3ff949730d4e5fb1460645397b0eaa013b0234ee84720f7dcb6";
		expect(await makeContentKey({ taskId: "task", files, displayName: "Ada" })).toBe(expected);
		expect(await makeContentKey({ taskId: "task", files: new Map([...files].toReversed()), displayName: "Ada" })).toBe(expected);
		expect(await makeContentKey({ taskId: "other", files, displayName: "Ada" })).not.toBe(expected);
		expect(await makeContentKey({ taskId: "task", files })).not.toBe(expected);
	});
});

describe("a client's settings", () => {
	it("come from the environment, and a key only together with its URL", () => {
		const before = { ...process.env };
		try {
			Object.assign(process.env, { BOUNTY_URL: "https://bounties.test/", BOUNTY_API_KEY: "svc_sk_env" });
			expect(new BountyClient().baseUrl).toBe("https://bounties.test");
			delete process.env["BOUNTY_URL"];
			expect(() => new BountyClient()).toThrow(/BOUNTY_URL/);
		} finally {
			process.env = before;
		}
	});
});
