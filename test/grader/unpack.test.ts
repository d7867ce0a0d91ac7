// Tests fetching and unpacking artifacts: for any zip, nothing leaves the folder.
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DownloadFault, downloadArtifact, downloadSuite, unpack } from "../../grader/unpack.ts";
import { ArchiveFault } from "../../src/core/judging/artifacts/policy.ts";
import { serveLocally } from "../support/local-server.ts";

const UNIX = 3;
const SYMLINK = 0o120777 << 16;
const EXECUTABLE = 0o100755 << 16;
const SETUID = 0o104755 << 16;

const text = (content: string) => new TextEncoder().encode(content);

let root = "";

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "grader-unpack-"));
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function unpacked(files: Zippable): Promise<string[]> {
	const folder = await mkdtemp(join(root, "submission-"));
	await unpack(zipSync(files), folder);
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

describe("unpacking", () => {
	it("puts every file in its place", async () => {
		const names = await unpacked({ "SUBMISSION.md": text("# What I Built"), src: { "a.js": text("1"), deep: { "b.js": text("2") } } });
		expect(names.toSorted()).toEqual(["SUBMISSION.md", "src/a.js", "src/deep/b.js"]);
	});

	it("writes every name that a submission can have", async () => {
		const longest = [`${"x".repeat(255)}/${"x".repeat(254)}/y`, "é".repeat(127)];
		expect((await unpacked(Object.fromEntries(longest.map((name) => [name, text("1")])))).toSorted()).toEqual(longest.toSorted());
	});

	it("keeps contents whole, and of the modes only the executable bit", async () => {
		const content = new Uint8Array(300_000).map((_, index) => (index * 7919) % 251);
		const files: Zippable = {
			"run.sh": [text("#!/bin/sh\n"), { os: UNIX, attrs: EXECUTABLE }],
			"su.sh": [text("x"), { os: UNIX, attrs: SETUID }],
			"data.bin": content,
		};
		await unpack(zipSync(files), root);
		const modeOf = async (name: string) => (await stat(join(root, name))).mode & 0o7777;
		expect(await modeOf("run.sh")).toBe(0o755);
		expect(await modeOf("su.sh")).toBe(0o755);
		expect(await modeOf("data.bin")).toBe(0o644);
		expect(new Uint8Array(await readFile(join(root, "data.bin")))).toEqual(content);
	});

	it.each([
		["a name that climbs out", { "../evil": text("x") }],
		["a name that climbs out further in", { "a/../../evil": text("x") }],
		["an absolute name", { "/tmp/evil": text("x") }],
		["a name with a backslash", { "..\\evil": text("x") }],
		["a drive", { "c:evil": text("x") }],
		["a link", { evil: [text("/etc/passwd"), { os: UNIX, attrs: SYMLINK }] }],
		["a link and a file behind it", { evil: [text("/tmp"), { os: UNIX, attrs: SYMLINK }], "evil/x": text("x") }],
		["a name that is too long for a file", { ["x".repeat(256)]: text("x") }],
		["a folder with such a name", { [`${"n".repeat(300)}/a`]: text("x") }],
		["two names that are one", { "A.txt": text("1"), "a.txt": text("2") }],
		["a bomb", { bomb: [new Uint8Array(30 * 1_048_576), { level: 9 }] }],
	])("refuses %s", async (_, files) => {
		await expect(unpacked(files as Zippable)).rejects.toBeInstanceOf(ArchiveFault);
		const left = await readdir(root, { recursive: true, withFileTypes: true });
		expect(left.filter((entry) => entry.isSymbolicLink())).toEqual([]);
	});

	it("names an entry without half of a character", async () => {
		const files: Zippable = { [`${"n".repeat(199)}😀`]: [text("/etc/passwd"), { os: UNIX, attrs: SYMLINK }] };
		await expect(unpacked(files)).rejects.toMatchObject({ path: expect.toSatisfy((path: string) => path.isWellFormed()) });
	});

	it("refuses what is not a zip", async () => {
		await expect(unpack(text("not a zip"), root)).rejects.toBeInstanceOf(ArchiveFault);
	});

	it("never overwrites a file", async () => {
		await unpack(zipSync({ a: text("1") }), root);
		await expect(unpack(zipSync({ a: text("2") }), root)).rejects.toThrow(/EEXIST/);
		expect(await readFile(join(root, "a"), "utf8")).toBe("1");
	});
});

/** Returns the URL of a server that responds to each request like this, as long as `use` takes. */
async function serving(respond: (response: ServerResponse) => void, use: (url: string) => Promise<void>): Promise<void> {
	const { url, stop } = await serveLocally((_, response) => respond(response));
	try {
		await use(`${url}/artifact?signature=secret`);
	} finally {
		await stop();
	}
}

const never = new AbortController().signal;

describe("fetching", () => {
	it("returns the bytes", async () => {
		await serving(
			(response) => response.end("bytes"),
			async (url) => expect(new TextDecoder().decode(await downloadArtifact(url, never))).toBe("bytes"),
		);
	});

	it.each([
		["an expired address", (response: ServerResponse) => response.writeHead(401).end()],
		["a redirect", (response: ServerResponse) => response.writeHead(302, { Location: "http://127.0.0.1:1/" }).end()],
		["a connection that breaks", (response: ServerResponse) => response.destroy()],
		[
			"half of a body",
			(response: ServerResponse) => {
				response.writeHead(200, { "Content-Length": "100" }).write("half");
				setTimeout(() => response.destroy(), 10);
			},
		],
	])("blames the platform for %s, and hides the URL", async (_, respond) => {
		await serving(respond, async (url) => {
			const error: unknown = await downloadArtifact(url, never).catch((reason: unknown) => reason);
			expect(error).toBeInstanceOf(DownloadFault);
			expect(String(error)).not.toMatch(/secret|127\.0\.0\.1/);
		});
	});

	it("stops at the limit", async () => {
		await serving(
			(response) => response.end(new Uint8Array(6 * 1_048_576)),
			async (url) => {
				await expect(downloadSuite(url, never)).rejects.toThrow(/more than 5 MB/);
				expect(await downloadArtifact(url, never)).toHaveLength(6 * 1_048_576);
			},
		);
	});

	it("ends if the job is stopped", async () => {
		const controller = new AbortController();
		await serving(
			(response) => response.writeHead(200).write("x"),
			async (url) => {
				setTimeout(() => controller.abort(), 20);
				await expect(downloadArtifact(url, controller.signal)).rejects.toThrow(/abort/i);
			},
		);
	});
});
