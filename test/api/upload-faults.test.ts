// Tests uploads and completions that something interrupts.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { DirectTransfers } from "../../src/platform/direct-transfers.ts";
import { goodZipWith } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";
import { createClient } from "../support/client.ts";
import { sha256Hex } from "../support/hashes.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { listArtifactKeys, listBucket } from "../support/storage.ts";
import { readArtifactOf } from "../support/task-object.ts";
import { atSignedUrl, putTo, register } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const world = createWorld();
const nobody = createClient();
const taskId = await openTask(await registerAgent(), { max_submissions_per_agent: 25 });
const ZIP = goodZipWith();
const OTHER_ZIP = goodZipWith([{ name: "other.txt", content: "another artifact" }]);
const of = (id: string) => ({ params: { id } });

const artifactOf = (id: string) => readArtifactOf(taskId, id);
const listArtifacts = () => listArtifactKeys(`tasks/${taskId}/artifacts/`);

describe("complete", () => {
	it("decides again if another upload has replaced the bytes that it checked", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		await putTo(nobody, upload_url, ZIP);
		let isFirst = true;
		const { bucket } = watchBucket({
			async before(call) {
				if (call !== "get" || !isFirst) return;
				isFirst = false;
				await putTo(world.enter({ key: null }), upload_url, OTHER_ZIP);
			},
		});
		expect(await world.enter(own, { bucket }).call("completeSubmission", of(id))).toMatchObject({ status: "running" });
		expect((await artifactOf(id)).sha256).toBe(await sha256Hex(OTHER_ZIP));
	});

	it("does not blame the artifact for a fault of storage", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		await putTo(nobody, upload_url, ZIP);
		const { bucket } = watchBucket({
			before(call) {
				if (call === "get") throw new Error("storage is not well");
			},
		});
		const answer = await world.enter(own, { bucket }).send("completeSubmission", of(id));
		expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining("storage is not well")]);
		expect((await own.call("getSubmission", of(id))).status).toBe("registered");
		expect(await world.enter(own).call("completeSubmission", of(id))).toMatchObject({ status: "running" });
	});

	it("of an object that is gone requests another upload, which then works", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		await putTo(nobody, upload_url, ZIP);
		await env.BUCKET.delete((await artifactOf(id)).key ?? "");
		await own.refused("completeSubmission", "NO_UPLOAD_FOUND", of(id));
		await putTo(nobody, upload_url, ZIP);
		expect(await world.enter(own).call("completeSubmission", of(id))).toMatchObject({ status: "running" });
	});

	it("leaves no copy of an upload through the bucket's own URL if it has to decide again", async () => {
		const own = await registerAgent();
		const { id } = await register(own, taskId);
		await env.BUCKET.put(`uploads/${id}.zip`, ZIP);
		let copies = 0;
		const directTransfers: DirectTransfers = {
			presignPut: () => Promise.reject(new Error("not asked for")),
			presignGet: (key) => Promise.resolve({ url: `https://s3.test/${key}`, token: "", path: `/${key}`, ttlMs: 1 }),
			async copy(fromKey, toKey) {
				copies += 1;
				const object = await env.BUCKET.get(fromKey);
				await env.BUCKET.put(toKey, await (object?.arrayBuffer() ?? null));
				await own.call("uploadArtifact", { ...of(id), rawBody: OTHER_ZIP, headers: { "Content-Type": "application/zip" } });
			},
		};
		expect(await world.enter(own, { directTransfers }).call("completeSubmission", of(id))).toMatchObject({ status: "running" });
		expect(copies).toBe(1);
		expect(await listBucket(`uploads/${id}`)).toEqual([]);
		const { key, sha256 } = await artifactOf(id);
		expect(sha256).toBe(await sha256Hex(OTHER_ZIP));
		expect(await listArtifactKeys(`tasks/${taskId}/artifacts/${id}/`)).toEqual([key]);
	});
});

describe("an upload", () => {
	it.each(["put", "createMultipartUpload", "uploadPart"] as const)(
		"that storage refuses at %s is an internal fault, and changes nothing",
		async (failing) => {
			const own = await registerAgent();
			const { id, upload_url } = await register(own, taskId);
			const before = await listBucket();
			const { bucket } = watchBucket({
				before(call) {
					if (call === failing) throw new Error("storage is not well");
				},
			});
			const rawBody = failing === "put" ? ZIP : new Uint8Array(9 * 1_048_576);
			const answer = await world.enter({ key: null }, { bucket }).send("putArtifact", atSignedUrl(upload_url, { rawBody }));
			expect(answer.status).toBe(500);
			await answer.body?.cancel();
			expect(await listBucket()).toEqual(before);
			expect(await artifactOf(id)).toEqual({ key: null, bytes: null, sha256: null });
			expect((await own.call("getSubmission", of(id))).resume).toBeDefined();
		},
	);

	it("that complete overtakes leaves no object", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		await putTo(nobody, upload_url, ZIP);
		const before = await listArtifacts();
		const { bucket } = watchBucket({
			async before(call) {
				if (call === "put") await world.enter(own).call("completeSubmission", of(id));
			},
		});
		const late = world.enter({ key: null }, { bucket });
		await late.refused("putArtifact", "WRONG_STATUS", atSignedUrl(upload_url, { rawBody: OTHER_ZIP }));
		expect(await listArtifacts()).toEqual(before);
		expect((await artifactOf(id)).sha256).toBe(await sha256Hex(ZIP));
	});
});
