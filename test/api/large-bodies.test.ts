// Tests bodies of many megabytes: their limits, where larger work goes, and how slowly they may arrive.
import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { bytesOf, goodZipWith } from "../support/archives.ts";
import type { CallInput, Client, Operation } from "../support/client.ts";
import { createDraft, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { listBucket } from "../support/storage.ts";
import { readArtifactOf } from "../support/task-object.ts";
import { atSignedUrl, countedStream, FORM_HEADERS, formBytes, MB, register, zeros } from "../support/uploads.ts";
import { createWorld, type World } from "../support/world.ts";

let poster: RegisteredClient;
let agent: RegisteredClient;

beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
});

const JSON_TYPE = { "Content-Type": "application/json" };
const ZIP_TYPE = { "Content-Type": "application/zip" };
const LIMIT = 8 * MB;

/** Returns a body of this size that is not JSON, and counts how much of it has been read. */
function brokenBody(id: string, bytes: number, headers: Readonly<Record<string, string>> = JSON_TYPE) {
	const body = countedStream(zeros(bytes));
	const input: CallInput = { params: { id }, rawBody: body.stream, headers };
	return { input, pulled: body.pulled };
}

describe("JSON of more than 8 MB", () => {
	it.each<readonly [string, Operation]>([
		["quick-submit", "quickSubmit"],
		["the check", "checkSubmission"],
		["a dry run", "startDryRun"],
	])("is refused by %s, announced or not, and not read further", async (_, operation) => {
		const id = await openTask(poster);
		const open = brokenBody(id, 60 * MB);
		const { details } = await poster.refused(operation, "FILE_TOO_LARGE", open.input);
		expect(details).toMatchObject({ max_bytes: LIMIT });
		expect(open.pulled()).toBeLessThan(LIMIT + 3 * MB);
		const announced = brokenBody(id, LIMIT + 1, { ...JSON_TYPE, "Content-Length": String(LIMIT + 1) });
		await poster.refused(operation, "FILE_TOO_LARGE", announced.input);
		expect(announced.pulled()).toBeLessThan(3 * MB);
		await poster.refused(operation, "INVALID_BODY", brokenBody(id, LIMIT).input);
	});

	it("names upload mode as the next action if the endpoint has one", async () => {
		const id = await openTask(poster);
		const upload = { method: "POST", href: `https://bounty.test/api/v1/tasks/${id}/submissions`, description: expect.any(String) };
		const tooMuch = { a: "x".repeat(5 * MB), b: "x" };
		const refusals = [
			await agent.refused("quickSubmit", "FILE_TOO_LARGE", { params: { id }, body: { files: tooMuch } }),
			await agent.refused("quickSubmit", "FILE_TOO_LARGE", brokenBody(id, 9 * MB).input),
			await agent.refused("checkSubmission", "FILE_TOO_LARGE", brokenBody(id, 9 * MB).input),
			await agent.refused("checkSubmission", "FILE_TOO_LARGE", brokenBody(id, 21 * MB, ZIP_TYPE).input),
		];
		expect(refusals.map(({ details }) => details)).toEqual(
			[5 * MB, LIMIT, LIMIT, 20 * MB].map((max_bytes) => ({ max_bytes, next_actions: [upload] })),
		);
		for (const { message } of refusals) expect(message).toMatch(/at most \d+ bytes.*\. Upload larger work: .* zip of up to 100 MB/);
		const dryRun = await poster.refused("startDryRun", "FILE_TOO_LARGE", { params: { id }, body: { files: tooMuch } });
		expect(dryRun).toMatchObject({ message: `files may have at most ${5 * MB} bytes in total.`, details: { max_bytes: 5 * MB } });
		expect(dryRun.details).not.toHaveProperty("next_actions");
	});
});

/** Returns files that are nearly 8 MB of JSON and nearly 5 MB of content, as many as the limit allows. */
function largestFiles(seed: string): Record<string, string> {
	const content = `${seed} "é\n😀`.padEnd(1_000, "a\tb\n");
	const files = Object.fromEntries(
		Array.from({ length: 1_999 }, (_, index) => [`src/${"long-name/".repeat(20)}${index}.txt`, content.repeat(2)]),
	);
	return { "SUBMISSION.md": `# What I Built\n${"é".repeat(300_000)}`, ...files };
}

describe("the largest quick-submit", () => {
	it("is accepted, also eight times in parallel, and other requests succeed while it arrives", async () => {
		const id = await openTask(poster);
		const agents = await Promise.all(Array.from({ length: 8 }, () => registerAgent()));
		const bodies = agents.map((_, index) => JSON.stringify({ files: largestFiles(`work ${index}`) }));
		for (const body of bodies) {
			expect(bytesOf(body).byteLength).toBeLessThan(LIMIT);
			expect(bytesOf(body).byteLength).toBeGreaterThan(6 * MB);
		}
		const submitted = await Promise.all(
			agents.map((each, index) => each.call("quickSubmit", { params: { id }, rawBody: bodies[index] ?? "", headers: JSON_TYPE })),
		);
		expect(submitted.map(({ files_uploaded }) => files_uploaded)).toEqual(Array(8).fill(2_000));
	});

	it("stores long texts and base64 unchanged", async () => {
		const id = await openTask(poster);
		const text = `Quotes " and \\ and é and 😀\n`.repeat(40_000);
		const bytes = new Uint8Array(2 * MB).map((_, index) => index * 31);
		const files = { "SUBMISSION.md": "# What I Built\n", "long.txt": text, "long.bin": { content: bytes.toBase64(), encoding: "base64" } };
		const submitted = await agent.call("quickSubmit", { params: { id }, body: { files } });
		expect(submitted.files_uploaded).toBe(3);
		const { key, bytes: packedBytes } = await readArtifactOf(id, submitted.id);
		const zip = new Uint8Array((await (await env.BUCKET.get(key ?? ""))?.arrayBuffer()) ?? new ArrayBuffer(0));
		expect(zip.byteLength).toBe(packedBytes);
		const { "long.txt": storedText, "long.bin": storedBytes } = unzipSync(zip);
		expect(new TextDecoder().decode(storedText)).toBe(text);
		expect(storedBytes?.toHex()).toBe(bytes.toHex());
		const lone = `{"files":{"a.txt":"${"x".repeat(2 * MB)}\\ud800"}}`;
		await agent.refused("quickSubmit", "INVALID_BODY", { params: { id }, rawBody: lone, headers: JSON_TYPE });
	});

	it("replays an earlier response even after the task has closed", async () => {
		const id = await openTask(poster);
		const input = { params: { id }, body: { files: { "a.txt": "a".repeat(2 * MB) } }, headers: { "Idempotency-Key": "large" } };
		const first = await agent.call("quickSubmit", input);
		await poster.call("closeTask", { params: { id } });
		expect((await agent.call("quickSubmit", input)).id).toBe(first.id);
	});
});

/** Returns a body that arrives in pieces when the test says so. */
function slowBody() {
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	const writer = writable.getWriter();
	writer.closed.catch(() => undefined);
	return {
		stream: readable,
		send: (bytes: Uint8Array) => writer.write(bytes).catch(() => undefined),
		end: () => writer.close().catch(() => undefined),
	};
}

/** Moves the clock once the platform waits for bodies. */
async function pass(world: World, ms: number, bodies = 1): Promise<void> {
	await expect.poll(() => world.clock.waiting()).toBe(bodies);
	world.clock.advance(ms);
}

/** Lists all objects except the indexes of zips and the copies of tasks, because work of earlier tests may still write those. */
const listStored = async (): Promise<string[]> =>
	(await listBucket("")).filter((key) => !key.endsWith(".zip.index") && !key.includes("/copy/"));

describe("a slow body", () => {
	const ways: readonly (readonly [
		string,
		(world: World, at: { task: string; draft: string; submission: string; fileUrl: string }) => readonly [Client, Operation, CallInput],
	])[] = [
		["a quick-submit", (world, { task }) => [world.enter(agent), "quickSubmit", { params: { id: task }, headers: JSON_TYPE }]],
		["a zip to check", (world, { task }) => [world.enter(agent), "checkSubmission", { params: { id: task }, headers: ZIP_TYPE }]],
		["a dry run", (world, { task }) => [world.enter(poster), "startDryRun", { params: { id: task }, headers: JSON_TYPE }]],
		["a test suite", (world, { draft }) => [world.enter(poster), "uploadTestSuite", { params: { id: draft }, headers: FORM_HEADERS }]],
		["an attachment", (world, { draft }) => [world.enter(poster), "addAttachment", { params: { id: draft }, headers: FORM_HEADERS }]],
		[
			"a file of a workspace",
			(world) => [
				world.enter(agent),
				"storeWorkspaceFile",
				{ headers: { "X-Workspace-Path": "a.bin", "Content-Type": "application/octet-stream" } },
			],
		],
		[
			"an upload as a form",
			(world, { submission }) => [world.enter(agent), "uploadArtifact", { params: { id: submission }, headers: FORM_HEADERS }],
		],
		[
			"an upload of unknown length",
			(world, { submission }) => [world.enter(agent), "uploadArtifact", { params: { id: submission }, headers: ZIP_TYPE }],
		],
		[
			"a workspace's upload of unknown length",
			(world, { fileUrl }) => {
				const [agentId = "", uploadId = ""] = new URL(fileUrl).pathname.split("/").slice(-2);
				return [world.enter({ key: null }), "putWorkspaceUpload", { ...atSignedUrl(fileUrl), params: { agentId, uploadId } }];
			},
		],
	];

	it.each(ways)("ends %s when less than 4 MB arrive in 40 seconds, and nothing is stored", async (_, way) => {
		const [world, task, draft] = [createWorld(), await openTask(poster), await createDraft(poster)];
		const { id: submission } = await register(agent, task);
		const { upload_url: fileUrl } = await agent.call("createWorkspaceUploadUrl", { body: { path: "a.bin" } });
		const before = await listStored();
		const body = slowBody();
		const [client, operation, input] = way(world, { task, draft: draft.id, submission, fileUrl });
		const response = client.send(operation, { ...input, rawBody: body.stream });
		for (const waitMs of [13_000, 13_000, 13_000, 999, 1]) {
			await body.send(new Uint8Array(1_000));
			await pass(world, waitMs);
		}
		const refused = await response;
		expect(await refused.json()).toMatchObject({
			error: { code: expect.stringMatching(/^(INVALID_BODY|BAD_REQUEST)$/), message: expect.stringContaining("took too long") },
		});
		expect(refused.status).toBe(400);
		expect(await listStored()).toEqual(before);
		expect(world.clock.waiting()).toBe(0);
	});

	it("may be slow as an upload with an announced length, because the platform streams it", async () => {
		const [world, zip] = [createWorld(), goodZipWith()];
		const { upload_url } = await register(agent, await openTask(poster));
		const body = slowBody();
		const headers = { "Content-Length": String(zip.byteLength) };
		const response = world.enter({ key: null }).send(...put(upload_url, { rawBody: body.stream, headers }));
		await body.send(zip.subarray(0, 100));
		world.clock.advance(3_600_000);
		await body.send(zip.subarray(100));
		await body.end();
		expect((await response).status).toBe(200);
	});
});

function put(url: string, input: CallInput) {
	return ["putArtifact", atSignedUrl(url, input)] as const;
}

describe("the check of a zip", () => {
	const zipOf = (bytes: number) => {
		const noise = new Uint8Array(bytes);
		for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(noise.subarray(at, Math.min(bytes, at + 65_536)));
		return goodZipWith([{ name: "noise.bin", content: noise }]);
	};

	it("accepts 20 MB, and not one byte more", async () => {
		const id = await openTask(poster);
		const rest = goodZipWith([{ name: "noise.bin", content: "" }]).byteLength;
		const zip = zipOf(20 * MB - rest);
		expect(zip.byteLength).toBe(20 * MB);
		const checked = await agent.call("checkSubmission", { params: { id }, rawBody: zip.slice(), headers: ZIP_TYPE });
		expect(checked).toMatchObject({ ok: true, packed_bytes: 20 * MB });
		const rawBody = new Uint8Array(20 * MB + 1);
		expect(
			(await agent.refused("checkSubmission", "FILE_TOO_LARGE", { params: { id }, rawBody, headers: ZIP_TYPE })).details,
		).toMatchObject({
			max_bytes: 20 * MB,
		});
	});
});

describe("a large form", () => {
	it.each([
		["test suite", "uploadTestSuite", "suite.json"],
		["attachment", "addAttachment", "notes.txt"],
	] as const)("with a %s is refused for a task of another agent", async (_, operation, filename) => {
		const { id } = await createDraft(poster);
		const form = formBytes([
			{ name: "field", content: "description" },
			{
				name: "file",
				filename,
				content: '{"test_cases":[{"name":"a","input":"","expected_output":"","match_type":"exact"}]}'.padEnd(2 * MB),
			},
		]);
		await agent.refused(operation, "NOT_FOUND", { params: { id }, rawBody: form, headers: FORM_HEADERS });
	});
});
