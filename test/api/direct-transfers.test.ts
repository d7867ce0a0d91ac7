// Tests uploads through the bucket's own URL, which the platform signs and does not see.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { DirectTransfers } from "../../src/platform/direct-transfers.ts";
import { goodZipWith } from "../support/archives.ts";
import { testDeps } from "../support/deps.ts";
import { sha256Hex } from "../support/hashes.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { listArtifactKeys, listBucket } from "../support/storage.ts";
import { readArtifactOf } from "../support/task-object.ts";
import { HOUR_MS } from "../support/times.ts";
import { MB } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

/** Imitates the bucket's S3 interface over the binding. */
const bucketAsS3: DirectTransfers = {
	presignPut: (key, { ttlMs, bytes }) =>
		Promise.resolve({ url: `https://s3.test/${key}?${bytes}`, token: `${bytes}`, path: `/${key}`, ttlMs: Math.min(ttlMs, HOUR_MS) }),
	presignGet: (key, { ttlMs, filename }) =>
		Promise.resolve({ url: `https://s3.test/${key}?as=${filename}`, token: `as=${filename}`, path: `/${key}`, ttlMs }),
	async copy(fromKey, toKey) {
		const object = await env.BUCKET.get(fromKey);
		await env.BUCKET.put(toKey, await (object?.arrayBuffer() ?? null));
	},
};

const zip = goodZipWith();
const announced = { body: { size_bytes: zip.byteLength } };
const of = (id: string) => ({ params: { id } });
const keyOf = (id: string) => `uploads/${id}.zip`;

/** Returns an agent on a platform whose bucket has URLs of its own, and an open task. */
async function open() {
	const world = createWorld({ directTransfers: bucketAsS3 });
	const agent = await registerAgent();
	return { world, agent, own: world.enter(agent), taskId: await openTask(await registerAgent()) };
}

/** Also registers a submission whose size is announced. */
async function openAnnounced() {
	const opened = await open();
	return { ...opened, registered: await opened.own.call("createSubmission", { ...of(opened.taskId), ...announced }) };
}

it("adopts an upload through the bucket's own URL once, under a key that clients cannot write to", async () => {
	const { world, own, taskId, registered } = await openAnnounced();
	const { id } = registered;
	expect(registered).toMatchObject({ upload_token: `${zip.byteLength}`, upload_url: `https://s3.test/${keyOf(id)}?${zip.byteLength}` });
	await own.refused("completeSubmission", "NO_UPLOAD_FOUND", of(id));
	expect((await own.call("getSubmission", of(id))).resume).toMatchObject({ token: `${zip.byteLength}` });

	await env.BUCKET.put(keyOf(id), zip);
	expect((await own.call("getSubmission", of(id))).resume).toBeUndefined();
	await own.refused("refreshUploadUrl", "ALREADY_UPLOADED", of(id));
	const { output_url } = await own.call("completeSubmission", of(id));
	expect(output_url).toMatch(/^https:\/\/s3\.test\/tasks\/.+\/artifacts\/.+\.zip\?as=/);
	await env.BUCKET.put(keyOf(id), "replaced too late");

	await world.workOffDue(taskId);
	expect(await own.call("getSubmission", of(id))).toMatchObject({ status: "completed" });
	expect(await readArtifactOf(taskId, id)).toMatchObject({ sha256: await sha256Hex(zip), bytes: zip.byteLength });
});

it("ends a submission as failed if its upload through the bucket's own URL is too large", async () => {
	const { own, taskId, registered } = await openAnnounced();
	const { id } = registered;
	await env.BUCKET.put(keyOf(id), new Uint8Array(100 * MB + 1));
	await own.refused("completeSubmission", "FILE_TOO_LARGE", of(id));
	const failed = await own.call("getSubmission", of(id));
	expect(failed).toMatchObject({ status: "failed", error_message: expect.stringContaining("104857600") });
	expect(await listBucket(keyOf(id))).toEqual([]);
	expect(await listBucket(`tasks/${taskId}/artifacts/`)).toEqual([]);
});

it("treats an empty object at the bucket's own URL as no upload, so that the submission stays usable", async () => {
	const { own, registered } = await openAnnounced();
	const { id } = registered;
	await env.BUCKET.put(keyOf(id), "");
	await own.refused("completeSubmission", "NO_UPLOAD_FOUND", of(id));
	expect(await own.call("getSubmission", of(id))).toMatchObject({ status: "registered", resume: { token: `${zip.byteLength}` } });
	await own.call("refreshUploadUrl", of(id));
	await env.BUCKET.put(keyOf(id), zip);
	await own.call("completeSubmission", of(id));
});

it("leaves no copy of an upload if complete has to decide again", async () => {
	const { agent, world, taskId, registered } = await openAnnounced();
	const { id } = registered;
	const other = goodZipWith([{ name: "other.txt", content: "another artifact" }]);
	await env.BUCKET.put(keyOf(id), zip);
	let copies = 0;
	const directTransfers: DirectTransfers = {
		...bucketAsS3,
		async copy(fromKey, toKey) {
			copies += 1;
			await bucketAsS3.copy(fromKey, toKey);
			await agent.call("uploadArtifact", { ...of(id), rawBody: other, headers: { "Content-Type": "application/zip" } });
		},
	};
	expect(await world.enter(agent, { directTransfers }).call("completeSubmission", of(id))).toMatchObject({ status: "running" });
	expect(copies).toBe(1);
	expect(await listBucket(`uploads/${id}`)).toEqual([]);
	const { key, sha256 } = await readArtifactOf(taskId, id);
	expect(sha256).toBe(await sha256Hex(other));
	expect(await listArtifactKeys(`tasks/${taskId}/artifacts/${id}/`)).toEqual([key]);
});

it("returns the bucket's own URL only for an announced size, which the URL then requires", async () => {
	const { own, taskId } = await open();
	const { id, upload_url } = await own.call("createSubmission", of(taskId));
	const path = `/api/v1/submissions/${id}/artifact`;
	expect(upload_url).toContain(`${path}?`);
	const resume = async () => (await own.call("getSubmission", of(id))).resume;
	expect(await resume()).toMatchObject({ path });
	const refresh = async (sent?: object) =>
		(await own.call("refreshUploadUrl", { ...of(id), ...(sent === undefined ? {} : { body: sent }) })).upload_token;
	expect(await refresh({ size_bytes: 5_000 })).toBe("5000");
	expect(await refresh()).toBe("5000");
	expect(await resume()).toMatchObject({ token: "5000" });
	expect(await refresh({ size_bytes: 6_000 })).toBe("6000");
	for (const size_bytes of [0, 1.5, 100 * MB + 1, "5"]) {
		await own.refused("createSubmission", "INVALID_BODY", { ...of(taskId), body: { size_bytes } });
	}
});

it("counts an announced upload for its network once, before it arrives", async () => {
	const { world, agent, taskId } = await open();
	const { config } = testDeps();
	const capped = { config: { ...config, networkCaps: { ...config.networkCaps, bytes: 2 * zip.byteLength } } };
	const own = world.enter(agent, capped);
	const from = (id: string, size_bytes?: number) => ({
		...of(id),
		headers: { "CF-Connecting-IP": "198.18.200.1" },
		...(size_bytes === undefined ? {} : { body: { size_bytes } }),
	});
	const size = zip.byteLength;
	const { id } = await own.call("createSubmission", from(taskId, size));
	await own.refused("createSubmission", "RATE_LIMITED", from(taskId, size + 1));
	await own.call("refreshUploadUrl", from(id, size));
	await own.refused("refreshUploadUrl", "RATE_LIMITED", from(id, size + 1));
	await env.BUCKET.put(keyOf(id), zip);
	await own.call("completeSubmission", from(id));
	await own.call("createSubmission", from(taskId, size));
	await own.refused("createSubmission", "RATE_LIMITED", from(taskId, 1));
});
