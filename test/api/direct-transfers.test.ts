import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { createApp } from "../../src/app.ts";
import { HOUR_MS } from "../../src/platform/clock.ts";
import type { DirectTransfers } from "../../src/platform/direct-transfers.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { testDeps } from "../support/deps.ts";
import { awaitEvaluation, GOOD_FILES, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { readArtifactOf } from "../support/task-object.ts";

/** The bucket's S3 interface as the platform sees it, over the binding. */
const bucketAsS3: DirectTransfers = {
	presignPut: (key, ttlMs) =>
		Promise.resolve({ url: `https://s3.test/${key}?token`, token: "token", path: `/${key}`, ttlMs: Math.min(ttlMs, HOUR_MS) }),
	presignGet: (key, { ttlMs, filename }) =>
		Promise.resolve({ url: `https://s3.test/${key}?as=${filename}`, token: `as=${filename}`, path: `/${key}`, ttlMs }),
	async copy(fromKey, toKey) {
		const object = await env.BUCKET.get(fromKey);
		await env.BUCKET.put(toKey, await (object?.arrayBuffer() ?? null));
	},
};

const zip = zipSync(Object.fromEntries(Object.entries(GOOD_FILES).map(([path, text]) => [path, strToU8(String(text))])));

async function requestWith(change: Partial<Deps>, agent: RegisteredClient, method: string, path: string) {
	const ctx = createExecutionContext();
	const deps = testDeps({ directTransfers: bucketAsS3, ...change });
	const request = new Request(`https://bounty.test${path}`, { method, headers: { Authorization: `Bearer ${agent.key}` } });
	const response = await createApp(() => deps).fetch(request, env, ctx);
	const body = await response.json<Record<string, unknown>>();
	await deps.settled();
	await waitOnExecutionContext(ctx);
	return { status: response.status, body };
}

it("adopts what came in by the bucket's own address, once, under a key nobody can write to", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const registered = await requestWith({}, agent, "POST", `/api/v1/tasks/${taskId}/submissions`);
	expect(registered).toMatchObject({ status: 201, body: { upload_token: "token" } });
	const id = String(registered.body["id"]);
	expect(registered.body["upload_url"]).toBe(`https://s3.test/uploads/${id}.zip?token`);
	expect(await requestWith({}, agent, "POST", `/api/v1/submissions/${id}/complete`)).toMatchObject({
		status: 409,
		body: { error: { code: "NO_UPLOAD_FOUND" } },
	});
	expect((await requestWith({}, agent, "GET", `/api/v1/submissions/${id}`)).body["resume"]).toMatchObject({ token: "token" });

	await env.BUCKET.put(`uploads/${id}.zip`, zip);
	expect((await requestWith({}, agent, "GET", `/api/v1/submissions/${id}`)).body["resume"]).toBeUndefined();
	expect(await requestWith({}, agent, "POST", `/api/v1/submissions/${id}/upload-url`)).toMatchObject({
		body: { error: { code: "ALREADY_UPLOADED" } },
	});
	const completed = await requestWith({}, agent, "POST", `/api/v1/submissions/${id}/complete`);
	expect(completed).toMatchObject({
		status: 200,
		body: { output_url: expect.stringMatching(/^https:\/\/s3\.test\/tasks\/.+\/artifacts\/.+\.zip\?as=/) },
	});
	await env.BUCKET.put(`uploads/${id}.zip`, "replaced too late");

	expect(await awaitEvaluation(agent, id)).toMatchObject({ status: "completed" });
	const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();
	expect(await readArtifactOf(taskId, id)).toMatchObject({ sha256, bytes: zip.byteLength });
});

it("ends a submission as failed when more came in by the bucket's own address than a submission may have", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const id = String((await requestWith({}, agent, "POST", `/api/v1/tasks/${taskId}/submissions`)).body["id"]);
	await env.BUCKET.put(`uploads/${id}.zip`, new Uint8Array(100 * 1_048_576 + 1));
	const refused = await requestWith({}, agent, "POST", `/api/v1/submissions/${id}/complete`);
	expect(refused).toMatchObject({ status: 413, body: { error: { code: "FILE_TOO_LARGE" } } });
	const failed = await requestWith({}, agent, "GET", `/api/v1/submissions/${id}`);
	expect(failed.body).toMatchObject({ status: "failed", error_message: expect.stringContaining("104857600") });
	expect(await env.BUCKET.head(`uploads/${id}.zip`)).toBeNull();
	expect((await env.BUCKET.list({ prefix: `tasks/${taskId}/artifacts/` })).objects).toEqual([]);
});

it("treats an empty object at the bucket's own URL as no upload, so that the submission stays usable", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const id = String((await requestWith({}, agent, "POST", `/api/v1/tasks/${taskId}/submissions`)).body["id"]);
	await env.BUCKET.put(`uploads/${id}.zip`, "");
	expect(await requestWith({}, agent, "POST", `/api/v1/submissions/${id}/complete`)).toMatchObject({
		status: 409,
		body: { error: { code: "NO_UPLOAD_FOUND" } },
	});
	expect((await requestWith({}, agent, "GET", `/api/v1/submissions/${id}`)).body).toMatchObject({
		status: "registered",
		resume: { token: "token" },
	});
	expect(await requestWith({}, agent, "POST", `/api/v1/submissions/${id}/upload-url`)).toMatchObject({ status: 200 });
	await env.BUCKET.put(`uploads/${id}.zip`, zip);
	expect(await requestWith({}, agent, "POST", `/api/v1/submissions/${id}/complete`)).toMatchObject({ status: 200 });
});
