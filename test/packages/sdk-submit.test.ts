// Tests submitting with the SDK: what it sends for which files, that every byte arrives, and what a broken upload leaves.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
	BountyCheckError,
	BountyIncompleteError,
	BountyTimeoutError,
	BountyUsageError,
	packZip,
	type SubmitProgress,
} from "../../packages/sdk/src/index.ts";
import { BountyClient, readFolder, readWorkFolder } from "../../packages/sdk/src/node.ts";
import { hangUp, proxyError, refuse, type ScriptedPlatform, startScripted } from "./scripted.ts";

const CHECKED = { ok: true, problems: [], warnings: [], files: [], missing_sections: [], packed_bytes: 1 };
const CHECK = "POST /api/v1/tasks/t/check";
const QUICK = "POST /api/v1/tasks/t/quick-submit";
const REGISTER = "POST /api/v1/tasks/t/submissions";
const UPLOAD = "PUT /storage/s";
const COMPLETE = "POST /api/v1/submissions/s/complete";
const STATE = "GET /api/v1/submissions/s";
const REFRESH = "POST /api/v1/submissions/s/upload-url";
/** The file has every byte, so it is neither UTF-8 nor base64. */
const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, index) => index);
const MB = 1024 * 1024;
const README = "# What I Built\nÜmläute \u{1F600}\r\n\ufeffend";

let platform: ScriptedPlatform | undefined;
afterEach(() => platform?.stop());

async function start(scripts: Parameters<typeof startScripted>[0] = {}): Promise<ScriptedPlatform> {
	const uploadUrl = () => ({ id: "s", upload_url: `${platform?.url}/storage/s?signature=1` });
	platform = await startScripted({
		[CHECK]: () => CHECKED,
		[QUICK]: () => ({ id: "s" }),
		[REGISTER]: uploadUrl,
		[REFRESH]: uploadUrl,
		[UPLOAD]: () => ({}),
		[COMPLETE]: () => ({ id: "s" }),
		[STATE]: () => ({ id: "s", status: "registered", evaluated: false }),
		...scripts,
	});
	return platform;
}

const bodySchema = z.object({
	files: z.record(z.string(), z.union([z.string(), z.object({ content: z.string(), encoding: z.literal("base64") })])),
});

/** Returns the files of a JSON body, as bytes. */
function filesOf(body: Buffer): Record<string, Buffer> {
	const { files } = bodySchema.parse(JSON.parse(body.toString()));
	return Object.fromEntries(
		Object.entries(files).map(([path, file]) => [path, typeof file === "string" ? Buffer.from(file) : Buffer.from(file.content, "base64")]),
	);
}

describe("small files", () => {
	it("are checked and sent as JSON, to the last byte", async () => {
		const { client, received } = await start();
		const handle = await client().submit(
			"t",
			{ "SUBMISSION.md": README, "bytes.bin": EVERY_BYTE, "empty.txt": "" },
			{ agentDisplayName: "Ada" },
		);
		expect(handle).toMatchObject({ id: "s", check: CHECKED });
		expect(received.map(({ call }) => call)).toEqual([CHECK, QUICK]);
		for (const { body } of received) {
			expect(filesOf(body)).toEqual({
				"SUBMISSION.md": Buffer.from(README),
				"bytes.bin": Buffer.from(EVERY_BYTE),
				"empty.txt": Buffer.alloc(0),
			});
		}
		expect(JSON.parse(received[1]?.body.toString() ?? "")).toMatchObject({ agent_display_name: "Ada" });
	});

	it("arrive unchanged, for any content", async () => {
		const { client, received } = await start();
		await fc.assert(
			fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
				await client().submit("t", { "a.bin": bytes }, { check: false });
				expect(filesOf(received.at(-1)?.body ?? Buffer.alloc(0))).toEqual({ "a.bin": Buffer.from(bytes) });
			}),
			{ numRuns: 100 },
		);
	});

	it("get more time by their size, also as JSON", async () => {
		const slowly = (result: unknown) => () => new Promise((resolve) => setTimeout(() => resolve(result), 700));
		const { client, calls } = await start({ [CHECK]: slowly(CHECKED), [QUICK]: slowly({ id: "s" }) });
		const fast = client({ timeoutMs: 400, maxRetries: 0 });
		expect((await fast.submit("t", { "data.bin": new Uint8Array(2_000_000) })).id).toBe("s");
		expect(calls()).toEqual([CHECK, QUICK]);
		await expect(fast.submit("t", { "data.bin": new Uint8Array(1) })).rejects.toThrow(BountyTimeoutError);
		await expect(fast.submit("t", { "data.bin": new Uint8Array(2_000_000) }, { timeoutMs: 300 })).rejects.toThrow(BountyTimeoutError);
	});

	it("use no slot if the check finds problems", async () => {
		const problem = { code: "INVALID_BODY", path: "a", message: "It is bad." };
		const { client, calls } = await start({ [CHECK]: () => ({ ...CHECKED, ok: false, problems: [problem] }) });
		const error = await client()
			.submit("t", { a: "b" })
			.catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(BountyCheckError);
		expect(error).toMatchObject({ message: "It is bad.", problems: [problem] });
		expect(calls()).toEqual([CHECK]);
	});

	it("are rejected before anything is sent if there are none, or a path comes twice", async () => {
		const { client, calls } = await start();
		await expect(client().submit("t", {})).rejects.toThrow(BountyUsageError);
		await expect(
			client().submit("t", [
				["a", "1"],
				["a", "2"],
			]),
		).rejects.toThrow(/twice/);
		expect(calls()).toEqual([]);
	});
});

describe("large files", () => {
	const noise = randomBytes(5_000_000);
	const large = { "SUBMISSION.md": README, "data/noise.bin": noise, "zeros.bin": new Uint8Array(300_000), empty: "" };

	it("are sent as a zip that unpacks to the same bytes, with progress", async () => {
		const { client, received } = await start();
		const progress: SubmitProgress[] = [];
		await client().submit("t", large, { onProgress: (each) => progress.push(each) });
		expect(received.map(({ call }) => call)).toEqual([CHECK, REGISTER, `${UPLOAD}?signature=1`, COMPLETE]);
		const { body, headers } = received[2] ?? { body: Buffer.alloc(0), headers: {} };
		expect(headers).toMatchObject({ "content-type": "application/zip", "content-length": String(body.length) });
		expect(headers["authorization"]).toBeUndefined();
		const unpacked = unzipSync(new Uint8Array(body));
		expect(Object.keys(unpacked)).toEqual(Object.keys(large));
		expect(Buffer.from(unpacked["data/noise.bin"] ?? [])).toEqual(Buffer.from(noise));
		expect(Buffer.from(unpacked["SUBMISSION.md"] ?? []).toString()).toBe(README);
		expect(unpacked["zeros.bin"]?.every((byte) => byte === 0)).toBe(true);
		expect(body.length).toBeLessThan(5_100_000);
		const sent = progress.flatMap((each) => (each.phase === "uploading" ? [each.sentBytes] : []));
		expect(sent.length).toBeGreaterThan(3);
		expect(sent.at(-1)).toBe(body.length);
		expect(sent).toEqual(sent.toSorted((a, b) => a - b));
		expect(new Set(progress.map(({ phase }) => phase))).toEqual(new Set(["packing", "checking", "registered", "uploading", "submitted"]));
	});

	it("are those of more than 5 MB together, or more than 2,000", async () => {
		const { client, calls } = await start();
		const most = { "SUBMISSION.md": "", a: new Uint8Array(3 * MB), b: new Uint8Array(2 * MB) };
		const many = Object.fromEntries(Array.from({ length: 1_999 }, (_, index) => [`f${index}`, ""]));
		for (const files of [most, { ...many, "SUBMISSION.md": "" }]) await client().submit("t", files, { check: false });
		expect(calls()).toEqual([QUICK, QUICK]);
		for (const files of [
			{ ...most, c: "x" },
			{ ...many, "SUBMISSION.md": "", one: "" },
		]) {
			await client().submit("t", files, { check: false });
		}
		expect(calls().slice(2)).toEqual([REGISTER, `${UPLOAD}?signature=1`, COMPLETE, REGISTER, `${UPLOAD}?signature=1`, COMPLETE]);
	});

	it("fit the largest body as JSON up to that limit, for any content", async () => {
		const { client, received } = await start();
		const contents = ["\n", '"', "\u0001", "é", "\u{1F600}", "\0", "a\n"].map((text) =>
			Buffer.from(text.repeat((5 * MB) / Buffer.byteLength(text))),
		);
		for (const content of contents) {
			await client().submit("t", { "SUBMISSION.md": new Uint8Array(content) }, { check: false });
			const { call, body } = received.at(-1) ?? { call: "", body: Buffer.alloc(0) };
			expect(call).toBe(QUICK);
			expect(body.length).toBeLessThan(8 * MB);
			expect(filesOf(body)["SUBMISSION.md"]?.equals(content)).toBe(true);
		}
	});

	it("are not sent without the SUBMISSION.md that a zip needs", async () => {
		const { client, calls } = await start();
		await expect(client().submit("t", { a: new Uint8Array(5 * MB + 1) })).rejects.toThrow(/needs a SUBMISSION.md/);
		await expect(client().submit("t", { a: "" }, { method: "zip" })).rejects.toThrow(BountyUsageError);
		expect(calls()).toEqual([]);
	});

	it("are checked as a zip of up to 20 MB", async () => {
		const { client, calls } = await start();
		await client().submit("t", new Uint8Array(20 * MB));
		await client().submit("t", new Uint8Array(20 * MB + 1));
		expect(calls()).toEqual([CHECK, REGISTER, `${UPLOAD}?signature=1`, COMPLETE, REGISTER, `${UPLOAD}?signature=1`, COMPLETE]);
	});

	it("are packed at most 200 to 1, because the platform rejects more", async () => {
		const zip = await packZip(
			new Map([
				["all", new Uint8Array(5 * MB)],
				["more", new Uint8Array(5 * MB + 1)],
			]),
		);
		expect(zip.length).toBeGreaterThan(5 * MB);
		expect(zip.length).toBeLessThan(5.1 * MB);
		expect(unzipSync(zip)["more"]?.length).toBe(5 * MB + 1);
	});

	it("always give the same zip", async () => {
		const files = new Map([
			["a", new Uint8Array([1, 2])],
			["b/ü", new Uint8Array(5_000)],
		]);
		expect(await packZip(files)).toEqual(await packZip(files));
	});

	it("are uploaded again after the connection broke, and completed once", async () => {
		let completed = false;
		const { client, calls } = await start({
			[UPLOAD]: (turn) => (turn.count === 0 ? hangUp(turn) : turn.count === 1 ? proxyError(turn.response) : {}),
			// The platform completes it, but its response is lost.
			[COMPLETE]: (turn) => {
				completed = true;
				hangUp(turn);
			},
			[STATE]: () => ({ id: "s", status: completed ? "running" : "registered", evaluated: false }),
		});
		expect((await client().submit("t", large, { check: false })).id).toBe("s");
		expect(calls()).toEqual([REGISTER, ...Array(3).fill(`${UPLOAD}?signature=1`), COMPLETE, STATE]);
	});

	it("say which submission to resume, and use no second slot", async () => {
		const { client, calls } = await start({ [UPLOAD]: ({ response, count }) => (count < 2 ? proxyError(response) : {}) });
		const error = await client({ maxRetries: 1 })
			.submit("t", large, { check: false })
			.catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(BountyIncompleteError);
		expect(error).toMatchObject({ submissionId: "s" });
		const before = calls().length;
		await client().submit("t", large, { resume: "s" });
		expect(calls().slice(before)).toEqual([STATE, REFRESH, `${UPLOAD}?signature=1`, COMPLETE]);
	});

	it("show the platform's verdict on a zip unchanged", async () => {
		const { client } = await start({ [COMPLETE]: ({ response }) => refuse(response, { status: 400, code: "MISSING_SUBMISSION_MD" }) });
		await expect(client().submit("t", new Uint8Array([0x50, 0x4b]), { check: false })).rejects.toMatchObject({
			code: "MISSING_SUBMISSION_MD",
		});
	});

	it("stop with the caller's signal", async () => {
		const { client } = await start({ [UPLOAD]: () => undefined });
		const controller = new AbortController();
		setTimeout(() => controller.abort(new Error("enough")), 300);
		await expect(client().submit("t", large, { check: false, signal: controller.signal })).rejects.toThrow("enough");
	});
});

describe("folders", () => {
	it("are read by the rules of a work folder, also by the check", async () => {
		const folder = await mkdtemp(join(tmpdir(), "sdk-folder-"));
		try {
			for (const path of [".git", "node_modules/x", "src/deep"]) await mkdir(join(folder, path), { recursive: true });
			const files = {
				"SUBMISSION.md": README,
				".git/HEAD": "x",
				"node_modules/x/index.js": "x",
				"src/deep/a.bin": EVERY_BYTE,
				"src/skip.log": "x",
				".env": "KEY=1",
				".env.example": "KEY=",
			};
			for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
			const read = await readFolder(folder, { filter: (path) => !path.endsWith(".log") });
			expect([...read.keys()]).toEqual([".env.example", "SUBMISSION.md", "src/deep/a.bin"]);
			const { url, received } = await start();
			await new BountyClient({ baseUrl: url, apiKey: "svc_sk_1" }).submit("t", folder, { check: false });
			expect(filesOf(received[0]?.body ?? Buffer.alloc(0))["src/deep/a.bin"]).toEqual(Buffer.from(EVERY_BYTE));
			expect(Object.keys(filesOf(received[0]?.body ?? Buffer.alloc(0)))).toEqual([
				".env.example",
				"SUBMISSION.md",
				"src/deep/a.bin",
				"src/skip.log",
			]);
			await symlink("/etc/hostname", join(folder, "link"));
			expect((await readWorkFolder(folder)).links).toEqual(["link"]);
			await new BountyClient({ baseUrl: url, apiKey: "svc_sk_1" }).check("t", folder);
			expect(Object.keys(filesOf(received.at(-1)?.body ?? Buffer.alloc(0)))).toContain("src/skip.log");
			await expect(new BountyClient({ baseUrl: url }).submit("t", join(folder, "missing"))).rejects.toThrow(/cannot be read/);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});
});

describe("workspace files", () => {
	it("are sent in one request, or over an upload URL if they are large", async () => {
		const { client, received, url } = await start({
			"POST /api/v1/workspace/files": () => ({ path: "a" }),
			"POST /api/v1/workspace/files/upload-url": () => ({ upload_url: `${platform?.url}/storage/s`, storage_ref: "r" }),
			"POST /api/v1/workspace/files/finalize": () => ({ path: "large.bin" }),
			"GET /api/v1/workspace/files/a": ({ response }) => response.writeHead(200, { "Content-Type": "image/png" }).end(EVERY_BYTE),
		});
		expect(url).toContain("127.0.0.1");
		const same = client();
		await same.putWorkspaceFile("a", EVERY_BYTE, { contentType: "image/png" });
		expect(received[0]?.headers).toMatchObject({ "x-workspace-path": "a", "x-workspace-content-type": "image/png" });
		expect(received[0]?.body).toEqual(Buffer.from(EVERY_BYTE));
		const large = new Uint8Array(5_000_000).fill(7);
		await same.putWorkspaceFile("large.bin", large);
		expect(received.slice(1).map(({ call }) => call)).toEqual([
			"POST /api/v1/workspace/files/upload-url",
			UPLOAD,
			"POST /api/v1/workspace/files/finalize",
		]);
		expect(received[2]?.body.length).toBe(large.length);
		expect(JSON.parse(received[3]?.body.toString() ?? "")).toEqual({ path: "large.bin", storage_ref: "r" });
		expect(new Uint8Array(await (await same.readWorkspaceFile("a")).arrayBuffer())).toEqual(EVERY_BYTE);
	});
});
