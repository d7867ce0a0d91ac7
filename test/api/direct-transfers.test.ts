import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import type { DirectTransfers } from "../../src/platform/direct-transfers.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createApp } from "../support/app.ts";
import { testDeps } from "../support/deps.ts";
import { awaitEvaluation, GOOD_FILES, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { readArtifactOf } from "../support/task-object.ts";
import { HOUR_MS } from "../support/times.ts";

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

const zip = zipSync(Object.fromEntries(Object.entries(GOOD_FILES).map(([path, text]) => [path, strToU8(String(text))])));

const announced = { size_bytes: zip.byteLength };

async function requestWith(change: Partial<Deps>, agent: RegisteredClient, [method, path]: readonly [string, string], body?: object) {
	const ctx = createExecutionContext();
	const deps = testDeps({ directTransfers: bucketAsS3, ...change });
	const headers = { Authorization: `Bearer ${agent.key}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) };
	const sent = body === undefined ? {} : { body: JSON.stringify(body) };
	const request = new Request(`https://bounty.test${path}`, { method, headers, ...sent });
	const response = await createApp(() => deps).fetch(request, env, ctx);
	const answer = await response.json<Record<string, unknown>>();
	await deps.settled();
	await waitOnExecutionContext(ctx);
	return { status: response.status, body: answer };
}

it("adopts an upload through the bucket's own URL once, under a key that clients cannot write to", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const registered = await requestWith({}, agent, ["POST", `/api/v1/tasks/${taskId}/submissions`], announced);
	expect(registered).toMatchObject({ status: 201, body: { upload_token: `${zip.byteLength}` } });
	const id = String(registered.body["id"]);
	expect(registered.body["upload_url"]).toBe(`https://s3.test/uploads/${id}.zip?${zip.byteLength}`);
	expect(await requestWith({}, agent, ["POST", `/api/v1/submissions/${id}/complete`])).toMatchObject({
		status: 409,
		body: { error: { code: "NO_UPLOAD_FOUND" } },
	});
	expect((await requestWith({}, agent, ["GET", `/api/v1/submissions/${id}`])).body["resume"]).toMatchObject({ token: `${zip.byteLength}` });

	await env.BUCKET.put(`uploads/${id}.zip`, zip);
	expect((await requestWith({}, agent, ["GET", `/api/v1/submissions/${id}`])).body["resume"]).toBeUndefined();
	expect(await requestWith({}, agent, ["POST", `/api/v1/submissions/${id}/upload-url`])).toMatchObject({
		body: { error: { code: "ALREADY_UPLOADED" } },
	});
	const completed = await requestWith({}, agent, ["POST", `/api/v1/submissions/${id}/complete`]);
	expect(completed).toMatchObject({
		status: 200,
		body: { output_url: expect.stringMatching(/^https:\/\/s3\.test\/tasks\/.+\/artifacts\/.+\.zip\?as=/) },
	});
	await env.BUCKET.put(`uploads/${id}.zip`, "replaced too late");

	expect(await awaitEvaluation(agent, id)).toMatchObject({ status: "completed" });
	const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();
	expect(await readArtifactOf(taskId, id)).toMatchObject({ sha256, bytes: zip.byteLength });
});

it("ends a submission as failed if its upload through the bucket's own URL is too large", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const id = String((await requestWith({}, agent, ["POST", `/api/v1/tasks/${taskId}/submissions`], announced)).body["id"]);
	await env.BUCKET.put(`uploads/${id}.zip`, new Uint8Array(100 * 1_048_576 + 1));
	const refused = await requestWith({}, agent, ["POST", `/api/v1/submissions/${id}/complete`]);
	expect(refused).toMatchObject({ status: 413, body: { error: { code: "FILE_TOO_LARGE" } } });
	const failed = await requestWith({}, agent, ["GET", `/api/v1/submissions/${id}`]);
	expect(failed.body).toMatchObject({ status: "failed", error_message: expect.stringContaining("104857600") });
	expect(await env.BUCKET.head(`uploads/${id}.zip`)).toBeNull();
	expect((await env.BUCKET.list({ prefix: `tasks/${taskId}/artifacts/` })).objects).toEqual([]);
});

it("treats an empty object at the bucket's own URL as no upload, so that the submission stays usable", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const id = String((await requestWith({}, agent, ["POST", `/api/v1/tasks/${taskId}/submissions`], announced)).body["id"]);
	await env.BUCKET.put(`uploads/${id}.zip`, "");
	expect(await requestWith({}, agent, ["POST", `/api/v1/submissions/${id}/complete`])).toMatchObject({
		status: 409,
		body: { error: { code: "NO_UPLOAD_FOUND" } },
	});
	expect((await requestWith({}, agent, ["GET", `/api/v1/submissions/${id}`])).body).toMatchObject({
		status: "registered",
		resume: { token: `${zip.byteLength}` },
	});
	expect(await requestWith({}, agent, ["POST", `/api/v1/submissions/${id}/upload-url`])).toMatchObject({ status: 200 });
	await env.BUCKET.put(`uploads/${id}.zip`, zip);
	expect(await requestWith({}, agent, ["POST", `/api/v1/submissions/${id}/complete`])).toMatchObject({ status: 200 });
});

it("returns the bucket's own URL only for an announced size, which the URL then requires", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const register = (body?: object) => requestWith({}, agent, ["POST", `/api/v1/tasks/${taskId}/submissions`], body);
	const { body } = await register();
	const own = `/api/v1/submissions/${body["id"]}`;
	expect(body["upload_url"]).toContain(`${own}/artifact?`);
	expect((await requestWith({}, agent, ["GET", own])).body["resume"]).toMatchObject({ path: `${own}/artifact` });
	const refresh = async (sent?: object) => (await requestWith({}, agent, ["POST", `${own}/upload-url`], sent)).body["upload_token"];
	expect(await refresh({ size_bytes: 5_000 })).toBe("5000");
	expect(await refresh()).toBe("5000");
	expect((await requestWith({}, agent, ["GET", own])).body["resume"]).toMatchObject({ token: "5000" });
	expect(await refresh({ size_bytes: 6_000 })).toBe("6000");
	for (const size_bytes of [0, 1.5, 100 * 1_048_576 + 1, "5"]) {
		expect(await register({ size_bytes })).toMatchObject({ status: 400, body: { error: { code: "INVALID_BODY" } } });
	}
});

it("counts an announced upload for its network once, before it arrives", async () => {
	const agent = await registerAgent();
	const taskId = await openTask(await registerAgent());
	const { config } = testDeps();
	const capped = { config: { ...config, networkCaps: { ...config.networkCaps, bytes: 2 * zip.byteLength } }, network: crypto.randomUUID() };
	const send = (path: string, body?: object) => requestWith(capped, agent, ["POST", path], body);
	const first = await send(`/api/v1/tasks/${taskId}/submissions`, announced);
	const own = `/api/v1/submissions/${first.body["id"]}`;
	const over = { status: 429, body: { error: { code: "RATE_LIMITED" } } };
	expect(await send(`/api/v1/tasks/${taskId}/submissions`, { size_bytes: zip.byteLength + 1 })).toMatchObject(over);
	expect(await send(`${own}/upload-url`, announced)).toMatchObject({ status: 200 });
	expect(await send(`${own}/upload-url`, { size_bytes: zip.byteLength + 1 })).toMatchObject(over);
	await env.BUCKET.put(`uploads/${first.body["id"]}.zip`, zip);
	expect(await send(`${own}/complete`)).toMatchObject({ status: 200 });
	expect(await send(`/api/v1/tasks/${taskId}/submissions`, announced)).toMatchObject({ status: 201 });
	expect(await send(`/api/v1/tasks/${taskId}/submissions`, { size_bytes: 1 })).toMatchObject(over);
});
