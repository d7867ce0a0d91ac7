import { describe, expect, it } from "vitest";
import { errorCodesOf } from "../../src/http/endpoint.ts";
import { createApp, operations } from "../support/app.ts";
import type { Client } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { registerAgent } from "../support/scenario.ts";
import { HOUR_MS } from "../support/times.ts";
import {
	base64File,
	blobsOf,
	collectGarbage,
	finalize,
	indexedBlobs,
	MB,
	numberedPaths,
	putTo,
	readText,
	seedFiles,
	upload,
} from "../support/workspace.ts";

const quota = (agent: Client) => agent.call("getWorkspaceFileQuota");

async function expectPutRefusal(response: Response, status: number, code: string): Promise<void> {
	expect({ status: response.status, body: await response.json() }).toMatchObject({ status, body: { error: { code } } });
	expect(errorCodesOf(operations.putWorkspaceUpload) as readonly string[]).toContain(code);
}

/** Returns a body of unknown length. */
function streamOf(bytes: Uint8Array): ReadableStream {
	let at = 0;
	return new ReadableStream({
		pull(controller) {
			if (at >= bytes.length) controller.close();
			else controller.enqueue(bytes.subarray(at, at + 65_536));
			at += 65_536;
		},
	});
}

/** Returns a body that ends with an error after its first half. */
function brokenStream(bytes: Uint8Array): ReadableStream {
	let pulls = 0;
	return new ReadableStream({
		pull(controller) {
			pulls += 1;
			if (pulls === 1) controller.enqueue(bytes.subarray(0, bytes.length / 2));
			else controller.error(new Error("The client is gone."));
		},
	});
}

describe("the three steps of an upload", () => {
	it("store a file with the type of the first or the last step", async () => {
		const agent = await registerAgent();
		const before = Date.now();
		const opened = await upload(agent, "big/a.bin", "the bytes", "text/plain");
		expect(opened).toMatchObject({ path: "big/a.bin", upload_method: "PUT", finalize_method: "POST" });
		expect(new URL(opened.finalize_url).pathname).toBe(operations.finalizeWorkspaceUpload.path);
		expect(Date.parse(opened.expires_at)).toBeGreaterThanOrEqual(before + 2 * HOUR_MS);
		expect(Date.parse(opened.expires_at)).toBeLessThanOrEqual(Date.now() + 2 * HOUR_MS);
		await agent.refused("readWorkspaceFile", "NOT_FOUND", { params: { path: "big/a.bin" } });
		expect(await quota(agent)).toMatchObject({ files_used: 0, bytes_used: "the bytes".length });

		const created = await finalize(agent, "big/a.bin");
		expect({ status: created.status, body: await created.json() }).toMatchObject({
			status: 201,
			body: { path: "big/a.bin", size_bytes: 9, content_type: "text/plain" },
		});
		expect(await readText(agent, "big/a.bin")).toBe("the bytes");

		await upload(agent, "big/a.bin", "others");
		const replaced = await finalize(agent, "big/a.bin", { content_type: "text/csv" });
		expect({ status: replaced.status, body: await replaced.json() }).toMatchObject({
			status: 200,
			body: { size_bytes: 6, content_type: "text/csv" },
		});
		expect(await readText(agent, "big/a.bin")).toBe("others");
		expect(await quota(agent)).toMatchObject({ files_used: 1, bytes_used: 6 });
	});

	it("say after the upload what has arrived and what is next", async () => {
		const agent = await registerAgent();
		const { upload_url, finalize_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "a", expected_size_bytes: 99 } });
		const response = await putTo(upload_url, "abc");
		expect(await response.json()).toEqual({ size_bytes: 3, finalize_url, finalize_method: "POST" });
	});

	it("accept 25 MB and refuse one byte more, with and without a length", async () => {
		const agent = await registerAgent();
		const bytes = new Uint8Array(25 * MB + 1);
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "a" } });
		await expectPutRefusal(await putTo(upload_url, new Blob([bytes])), 413, "FILE_TOO_LARGE");
		await expectPutRefusal(await putTo(upload_url, streamOf(bytes)), 413, "FILE_TOO_LARGE");
		expect((await finalize(agent, "a")).status).toBe(404);
		const fits = bytes.subarray(1);
		crypto.getRandomValues(fits.subarray(0, 65_536));
		expect((await putTo(upload_url, new Blob([fits]))).status).toBe(200);
		expect((await finalize(agent, "a")).status).toBe(201);
		const whole = new Uint8Array(await (await agent.send("readWorkspaceFile", { params: { path: "a" } })).arrayBuffer());
		expect(whole.byteLength).toBe(25 * MB);
		expect(whole.subarray(0, 65_536)).toEqual(fits.subarray(0, 65_536));
		expect(await quota(agent)).toMatchObject({ bytes_used: 25 * MB });
	});

	it("accept a body without a length, of any size", async () => {
		const agent = await registerAgent();
		for (const size of [0, 1, 9 * MB]) {
			const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: `s/${size}` } });
			expect(await (await putTo(upload_url, streamOf(new Uint8Array(size).fill(9)))).json()).toMatchObject({ size_bytes: size });
			expect((await finalize(agent, `s/${size}`)).status).toBe(201);
		}
	});

	it("store nothing of a body whose length differs from its announcement", async () => {
		const agent = await registerAgent();
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "a" } });
		const bytes = new Uint8Array(100_000);
		await expectPutRefusal(await putTo(upload_url, streamOf(bytes), { "Content-Length": "100001" }), 400, "BAD_REQUEST");
		await expectPutRefusal(await putTo(upload_url, streamOf(bytes), { "Content-Length": "99999" }), 400, "BAD_REQUEST");
		expect((await finalize(agent, "a")).status).toBe(404);
		await expect.poll(() => blobsOf(agent)).toEqual([]);
	});

	it.each([{}, { "Content-Length": "100000" }])("store nothing of a body that is cut off, announced with %j", async (headers) => {
		const agent = await registerAgent();
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "broken" } });
		const request = new Request(upload_url, { method: "PUT", body: brokenStream(new Uint8Array(100_000)), headers });
		await expectPutRefusal(await createApp(() => testDeps()).fetch(request), 400, "BAD_REQUEST");
		expect((await finalize(agent, "broken")).status).toBe(404);
		await expect.poll(() => blobsOf(agent)).toEqual([]);
	});
});

describe("the upload URL", () => {
	it("is its own credential, and no other URL is", async () => {
		const [agent, other] = [await registerAgent(), await registerAgent()];
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "a" } });
		const { upload_url: otherUrl } = await other.call("createWorkspaceUploadUrl", { body: { path: "a" } });
		const forged = [
			upload_url.split("?")[0] ?? "",
			upload_url.replace(/signature=../, "signature=00"),
			upload_url.replace(/signature=\w+/, "signature="),
			upload_url.replace(/expires=\d+/, `expires=${Date.now() + 999_999_999}`),
			upload_url.replace(/max_bytes=\d+/, "max_bytes=999999999"),
			upload_url.replace(/&?max_bytes=\d+/, ""),
			upload_url.replace(agent.agentId, other.agentId),
			`${otherUrl.split("?")[0]}?${upload_url.split("?")[1]}`,
		];
		for (const url of forged) await expectPutRefusal(await putTo(url, "x"), 401, "UNAUTHORIZED");
		expect((await putTo(upload_url, "x", { Authorization: "Bearer nonsense" })).status).toBe(200);
	});

	it("accepts bytes again until they are finalized, and never after", async () => {
		const agent = await registerAgent();
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "a" } });
		for (const text of ["first", "second"]) expect((await putTo(upload_url, text)).status).toBe(200);
		await expect.poll(() => blobsOf(agent)).toHaveLength(1);
		expect((await finalize(agent, "a")).status).toBe(201);
		await expectPutRefusal(await putTo(upload_url, "third"), 409, "ALREADY_UPLOADED");
		expect(await readText(agent, "a")).toBe("second");
		expect((await finalize(agent, "a")).status).toBe(404);
		expect(await readText(agent, "a")).toBe("second");
	});

	it("cannot change a file with bytes that were on their way when it was finalized", async () => {
		const agent = await registerAgent();
		const { upload_url } = await upload(agent, "a", "finalized");
		const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
		const late = putTo(upload_url, readable);
		const writer = writable.getWriter();
		await writer.write(new TextEncoder().encode("la"));
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect((await finalize(agent, "a")).status).toBe(201);
		await writer.write(new TextEncoder().encode("te"));
		await writer.close();
		await expectPutRefusal(await late, 409, "ALREADY_UPLOADED");
		expect(await readText(agent, "a")).toBe("finalized");
		await expect.poll(() => blobsOf(agent)).toEqual(await indexedBlobs(agent));
	});

	it("is not counted by the rate limit", async () => {
		const agent = await registerAgent();
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "a" } });
		const address = { "CF-Connecting-IP": "198.18.77.77" };
		const responses = await Promise.all(Array.from({ length: 70 }, () => putTo(upload_url, "x", address)));
		expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
	});

	it("is refused while too many are open", async () => {
		const agent = await registerAgent();
		const open = (path: string) => agent.send("createWorkspaceUploadUrl", { body: { path } });
		const responses = await Promise.all(numberedPaths(210).map(open));
		expect(responses.filter(({ status }) => status === 200)).toHaveLength(200);
		await agent.refused("createWorkspaceUploadUrl", "FILE_QUOTA_EXCEEDED", { body: { path: "more" } });
	});
});

describe("finalize", () => {
	it("refuses an upload that was not made, has not arrived, or belongs to another agent or path", async () => {
		const [agent, other] = [await registerAgent(), await registerAgent()];
		const { storage_ref } = await upload(agent, "a", "x");
		await agent.call("createWorkspaceUploadUrl", { body: { path: "empty" } });
		await agent.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "never" } });
		await agent.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "empty" } });
		await agent.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "b", storage_ref } });
		await other.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "a" } });
		await other.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "a", storage_ref } });
		await agent.refused("finalizeWorkspaceUpload", "INVALID_BODY", { body: { path: "/a" } });
		expect((await finalize(agent, "a", { storage_ref })).status).toBe(201);
	});

	it("uses the latest bytes, or those of the upload that is named", async () => {
		const agent = await registerAgent();
		const first = await upload(agent, "a", "first");
		await new Promise((resolve) => setTimeout(resolve, 5));
		await upload(agent, "a", "second");
		await finalize(agent, "a");
		expect(await readText(agent, "a")).toBe("second");
		await finalize(agent, "a", { storage_ref: first.storage_ref });
		expect(await readText(agent, "a")).toBe("first");
	});

	it("refuses what exceeds a quota, and discards its bytes", async () => {
		const agent = await registerAgent();
		await seedFiles(
			agent,
			[25, 25, 25, 24].map((megabytes, index) => ({ path: `m${index}`, sizeBytes: megabytes * MB })),
		);
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "over" } });
		await expectPutRefusal(await putTo(upload_url, new Uint8Array(MB + 1)), 409, "BYTE_QUOTA_EXCEEDED");
		await expectPutRefusal(await putTo(upload_url, streamOf(new Uint8Array(MB + 1))), 409, "BYTE_QUOTA_EXCEEDED");
		await agent.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "over" } });
		await expect.poll(() => blobsOf(agent)).toEqual([]);
		await upload(agent, "fits", new Uint8Array(MB));
		expect((await finalize(agent, "fits")).status).toBe(201);
		expect(await quota(agent)).toMatchObject({ bytes_used: 100 * MB });
		await upload(agent, "fits", "replaced");
		expect((await finalize(agent, "fits")).status).toBe(200);
	});

	it("limits uploads that are not finalized to the quota, sent in parallel or again", async () => {
		const agent = await registerAgent();
		await seedFiles(agent, [{ path: "kept", sizeBytes: 25 * MB }]);
		const urls = await Promise.all(
			numberedPaths(8).map(async (path) => (await agent.call("createWorkspaceUploadUrl", { body: { path } })).upload_url),
		);
		const bytes = new Uint8Array(25 * MB);
		const responses = await Promise.all(urls.map((url) => putTo(url, new Blob([bytes]))));
		expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409, 409, 409, 409, 409]);
		expect(await quota(agent)).toMatchObject({ files_used: 1, bytes_used: 100 * MB });
		await agent.refused("storeWorkspaceFile", "BYTE_QUOTA_EXCEEDED", base64File("direct", "x"));
		const accepted = urls[responses.findIndex(({ status }) => status === 200)] ?? "";
		const refused = urls[responses.findIndex(({ status }) => status === 409)] ?? "";
		expect((await putTo(accepted, "small")).status).toBe(200);
		expect((await putTo(refused, "x".repeat(100))).status).toBe(200);
		expect(await quota(agent)).toMatchObject({ files_used: 1, bytes_used: 75 * MB + 105 });
		await collectGarbage(agent);
		await expect.poll(() => blobsOf(agent)).toHaveLength(4);
	});

	it("gives the room of a file once to the uploads that will replace it", async () => {
		const agent = await registerAgent();
		await seedFiles(
			agent,
			numberedPaths(4).map((path) => ({ path, sizeBytes: 25 * MB })),
		);
		const [path = ""] = numberedPaths(1);
		await upload(agent, path, "x".repeat(1_000));
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path } });
		await expectPutRefusal(await putTo(upload_url, new Blob([new Uint8Array(25 * MB)])), 409, "BYTE_QUOTA_EXCEEDED");
		expect((await finalize(agent, path)).status).toBe(200);
		expect(await quota(agent)).toMatchObject({ files_used: 4, bytes_used: 75 * MB + 1_000 });
	});

	it("refuses the 1,001st file, and accepts one that replaces another", async () => {
		const agent = await registerAgent();
		await seedFiles(
			agent,
			numberedPaths(1_000).map((path) => ({ path, sizeBytes: 1 })),
		);
		await upload(agent, "over", "x");
		await agent.refused("finalizeWorkspaceUpload", "FILE_QUOTA_EXCEEDED", { body: { path: "over" } });
		await upload(agent, "n00000", "xyz");
		expect((await finalize(agent, "n00000")).status).toBe(200);
		expect(await quota(agent)).toMatchObject({ files_used: 1_000, bytes_used: 1_002 });
	});

	it("accepts as many of 50 parallel writers as there is room for", async () => {
		const agent = await registerAgent();
		await seedFiles(agent, [
			...[25, 25, 25, 24].map((megabytes, index) => ({ path: `m${index}`, sizeBytes: megabytes * MB })),
			{ path: "rest", sizeBytes: MB - 700 },
		]);
		const writers = Array.from({ length: 50 }, async (_, index) => {
			if (index % 2 === 0) return agent.send("storeWorkspaceFile", base64File(`w${index}`, "x".repeat(100)));
			const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: `w${index}` } });
			const put = await putTo(upload_url, "x".repeat(100));
			if (put.status !== 200) return put;
			return finalize(agent, `w${index}`);
		});
		const responses = await Promise.all(writers);
		expect(responses.filter(({ status }) => status === 201)).toHaveLength(7);
		expect(responses.filter(({ status }) => status === 409)).toHaveLength(43);
		expect(await quota(agent)).toMatchObject({ files_used: 12, bytes_used: 100 * MB });
		await collectGarbage(agent);
		await expect.poll(() => blobsOf(agent)).toHaveLength(7);
	});
});
