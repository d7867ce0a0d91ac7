// Tests the object by itself: what crashes and abandoned uploads leave, what alarms clear away, and what one request costs.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { operations } from "../../src/compose/endpoints.ts";
import { selectEntries } from "../../src/core/identity/workspace/store.ts";
import type { Workspace } from "../../src/durable-objects/workspace.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { forgetBody } from "../../src/http/held-bodies.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import type { Ctx, SignedCtx } from "../../src/ports/deps.ts";
import type { Hubs } from "../../src/ports/hubs.ts";
import { testDeps } from "../support/deps.ts";
import { type RegisteredClient, registerAgent } from "../support/scenario.ts";
import {
	base64File,
	blobsOf,
	finalize,
	indexedBlobs,
	MB,
	numberedPaths,
	putTo,
	putValue,
	readText,
	seedEntries,
	textOf,
	upload,
	workspaceOf,
} from "../support/workspace.ts";

afterEach(() => {
	vi.useRealTimers();
});

/** Moves the clock of the Worker and its objects on, and runs the alarm that is due by then. */
async function passTime(agent: RegisteredClient, ms: number): Promise<void> {
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
	await runDurableObjectAlarm(workspaceOf(agent));
	vi.useRealTimers();
}

/** This is longer than any reservation, grace period or URL lasts. */
const LONG_MS = 3 * HOUR_MS;

async function expectNoLeftovers(agent: RegisteredClient): Promise<void> {
	const [inBucket, inIndex] = [await blobsOf(agent), await indexedBlobs(agent)];
	expect(inBucket.toSorted()).toEqual(inIndex.toSorted());
	const rows = await runInDurableObject(workspaceOf(agent), (_, state) => [
		...state.storage.sql.exec("select blob_key from unclaimed_blobs union all select id from uploads"),
	]);
	expect(rows).toEqual([]);
	// Only the workspace's copy is left to make, a day after its first change.
	const alarm = await runInDurableObject(workspaceOf(agent), (_, state) => state.storage.getAlarm());
	expect(alarm ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now() + 12 * HOUR_MS);
}

describe("unused bytes", () => {
	it("are deleted a while after a file was replaced or deleted, not at once", async () => {
		const agent = await registerAgent();
		await agent.call("storeWorkspaceFile", base64File("a", "one"));
		await agent.call("storeWorkspaceFile", base64File("a", "two"));
		await agent.call("storeWorkspaceFile", base64File("b", "three"));
		await agent.call("deleteWorkspaceFile", { params: { path: "b" } });
		expect(await blobsOf(agent)).toHaveLength(3);
		await passTime(agent, 2 * MINUTE_MS);
		await expectNoLeftovers(agent);
		expect(await readText(agent, "a")).toBe("two");
	});

	it("include an upload that was never finalized, once its URL has expired", async () => {
		const agent = await registerAgent();
		await upload(agent, "a", "abandoned");
		await agent.call("createWorkspaceUploadUrl", { body: { path: "never-put" } });
		await passTime(agent, 2 * HOUR_MS - MINUTE_MS);
		expect(await blobsOf(agent)).toHaveLength(1);
		await passTime(agent, 2 * HOUR_MS + MINUTE_MS);
		await expectNoLeftovers(agent);
		await agent.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "a" } });
	});

	it("cannot be finalized or uploaded once the URL has expired, even before the alarm has run", async () => {
		const agent = await registerAgent();
		const { upload_url } = await upload(agent, "a", "late");
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * HOUR_MS + 1_000 });
		expect((await finalize(agent, "a")).status).toBe(404);
		expect((await putTo(upload_url, "later")).status).toBe(401);
	});

	it("are deleted by a retry when R2 fails", async () => {
		const agent = await registerAgent();
		await agent.call("storeWorkspaceFile", base64File("a", "one"));
		await agent.call("deleteWorkspaceFile", { params: { path: "a" } });
		const failing = vi.spyOn(env.BUCKET, "delete").mockRejectedValue(new Error("R2 is down."));
		vi.spyOn(console, "error").mockImplementation(() => {});
		await runInDurableObject(workspaceOf(agent), async (workspace: Workspace, state) => {
			vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * MINUTE_MS });
			Object.assign(workspace, { env: { ...env, BUCKET: { delete: failing } } });
			await workspace.alarm();
			expect(failing).toHaveBeenCalled();
			expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now());
			Object.assign(workspace, { env });
		});
		vi.restoreAllMocks();
		expect(await blobsOf(agent)).toHaveLength(1);
		await passTime(agent, 5 * MINUTE_MS);
		await expectNoLeftovers(agent);
	});

	it("cannot be claimed by a file once their deletion has begun", async () => {
		const agent = await registerAgent();
		const blobKey = `workspace/${agent.agentId}/slow`;
		const file = { path: "slow", sizeBytes: 1, blobKey };
		await workspaceOf(agent).reserveBlob(file);
		await env.BUCKET.put(blobKey, "x");
		await passTime(agent, HOUR_MS);
		expect(await workspaceOf(agent).commitFile({ ...file, contentType: "text/plain" })).toEqual({ refused: "BLOB_LOST" });
		await expectNoLeftovers(agent);
	});
});

/** The Worker dies at its `step`th call to the outside: before the call or after it has had its effect. */
class CrashingWorld {
	#left: number;
	readonly #isAfter: boolean;
	isDead = false;
	/** These multipart uploads have had parts. */
	readonly multiparts = new Set<R2MultipartUpload>();

	constructor(step: number, isAfter: boolean) {
		this.#left = step;
		this.#isAfter = isAfter;
	}

	async touch<T>(effect: () => Promise<T>): Promise<T> {
		if (this.isDead) throw new Error("The Worker is dead.");
		this.#left -= 1;
		if (this.#left > 0) return effect();
		this.isDead = true;
		if (this.#isAfter) await effect();
		throw new Error("The Worker died.");
	}
}

function crashingMultipart(upload: R2MultipartUpload, world: CrashingWorld) {
	return {
		uploadId: upload.uploadId,
		uploadPart: (number: number, part: Uint8Array) => {
			world.multiparts.add(upload);
			return world.touch(() => upload.uploadPart(number, part));
		},
		complete: (parts: R2UploadedPart[]) => world.touch(() => upload.complete(parts)),
		abort: () => world.touch(() => upload.abort()),
	};
}

function crashingCtx(agent: RegisteredClient, world: CrashingWorld): Ctx {
	const deps = testDeps();
	const hubs: Hubs = { ...deps.hubs, callWorkspace: (id, call) => world.touch(() => deps.hubs.callWorkspace(id, call)) };
	const bucket = {
		put: (key: string, value: ReadableStream | Uint8Array) => world.touch(() => env.BUCKET.put(key, value)),
		createMultipartUpload: (key: string) => world.touch(async () => crashingMultipart(await env.BUCKET.createMultipartUpload(key), world)),
	};
	const actor = { agentId: agent.agentId };
	return { ...deps, hubs, bucket, actor, requestId: "", baseUrl: "https://bounty.test" } as unknown as Ctx;
}

/** Returns the context that a valid signature of an upload URL gives. */
const signed = (ctx: Ctx): SignedCtx => ({
	...ctx,
	grant: { method: "PUT", path: "", expiresAt: 0, maxBytes: 25 * MB, holder: null },
	holderAgentId: null,
});

/** Runs a handler without the chain of middlewares, with input as a schema would return it. */
function run({ handle }: Endpoint, ctx: Ctx | SignedCtx, input: object): Promise<unknown> {
	return (handle as unknown as (ctx: Ctx | SignedCtx, input: object) => Promise<unknown>)(ctx, { headers: {}, ...input });
}

/** Each stores a file over an earlier version, in one request or three. */
const WAYS: Readonly<Record<string, (ctx: Ctx) => Promise<void>>> = {
	"a direct upload": async (ctx) => {
		await run(operations.storeWorkspaceFile, ctx, { body: { path: "a", content_base64: btoa("new") } });
	},
	"a signed upload": async (ctx) => {
		const { upload_url, storage_ref } = operations.createWorkspaceUploadUrl.response.schema.parse(
			await run(operations.createWorkspaceUploadUrl, ctx, { body: { path: "a" } }),
		);
		const send = (text: string) => {
			const request = new Request(upload_url, { method: "PUT", body: text, headers: { "Content-Length": String(text.length) } });
			return run(operations.putWorkspaceUpload, signed(ctx), { params: { agentId: ctx.actor.agentId, uploadId: storage_ref }, request });
		};
		await send("first try");
		await send("new");
		await run(operations.finalizeWorkspaceUpload, ctx, { body: { path: "a" } });
	},
	"an upload in parts": async (ctx) => {
		const { upload_url, storage_ref } = operations.createWorkspaceUploadUrl.response.schema.parse(
			await run(operations.createWorkspaceUploadUrl, ctx, { body: { path: "a" } }),
		);
		const body = new Blob([new Uint8Array(9 * MB)]).stream();
		const request = new Request(upload_url, { method: "PUT", body });
		const input = { params: { agentId: ctx.actor.agentId, uploadId: storage_ref }, request };
		// A Worker that dies holds no body in memory any more.
		await run(operations.putWorkspaceUpload, signed(ctx), input).finally(() => forgetBody(request));
		await run(operations.finalizeWorkspaceUpload, ctx, { body: { path: "a" } });
	},
	"a deletion": async (ctx) => {
		await run(operations.deleteWorkspaceFile, ctx, { params: { path: "a" } });
	},
};

/** Returns what a reader finds long after the Worker has died at a step. */
async function outcomeOf(way: string, world: CrashingWorld): Promise<string> {
	const agent = await registerAgent();
	await agent.call("storeWorkspaceFile", base64File("a", "old"));
	await WAYS[way]?.(crashingCtx(agent, world)).catch(() => {});
	await passTime(agent, LONG_MS);
	await expectNoLeftovers(agent);
	const answer = await agent.send("readWorkspaceFile", { params: { path: "a" } });
	for (const multipart of world.multiparts) await expect(multipart.uploadPart(1, "x")).rejects.toThrow("10024");
	if (answer.status === 404) return "none";
	const text = await textOf(answer);
	return text.length === 9 * MB ? "new" : text;
}

describe("a Worker that dies", () => {
	it.each([
		{ way: "a direct upload", steps: 3, outcomes: ["new", "old"] },
		{ way: "a signed upload", steps: 8, outcomes: ["new", "old"] },
		{ way: "an upload in parts", steps: 9, outcomes: ["new", "old"] },
		{ way: "a deletion", steps: 1, outcomes: ["none", "old"] },
	])(
		"at any step of $way leaves the old or the new file, and no other bytes",
		async ({ way, steps, outcomes }) => {
			const found = new Set<string>();
			for (let step = 1; step <= steps + 1; step += 1) {
				for (const isAfter of [false, true]) {
					const world = new CrashingWorld(step, isAfter);
					found.add(await outcomeOf(way, world));
					expect({ step, isDead: world.isDead }).toEqual({ step, isDead: step <= steps });
				}
			}
			expect([...found].toSorted()).toEqual(outcomes);
		},
		120_000,
	);
});

describe("an object", () => {
	it("keeps everything after an eviction from memory", async () => {
		const agent = await registerAgent();
		await putValue(agent, "k", { a: 1 });
		await agent.call("storeWorkspaceFile", base64File("a", "kept"));
		const { upload_url } = await upload(agent, "b", "uploaded");
		await evictDurableObject(workspaceOf(agent));
		expect((await agent.call("getWorkspaceEntry", { params: { key: "k" } })).value).toEqual({ a: 1 });
		expect(await readText(agent, "a")).toBe("kept");
		expect((await finalize(agent, "b")).status).toBe(201);
		expect((await putTo(upload_url, "x")).status).toBe(409);
		expect(await agent.call("getWorkspaceFileQuota")).toMatchObject({ files_used: 2, bytes_used: 12 });
	});

	it("has totals that agree with its rows after 200 random parallel changes", async () => {
		const agent = await registerAgent();
		await Promise.all(
			Array.from({ length: 200 }, (_, index) => {
				const name = `n${index % 7}`;
				if (index % 5 === 0) return agent.send("deleteWorkspaceEntry", { params: { key: name } });
				if (index % 5 === 1) return agent.send("deleteWorkspaceFile", { params: { path: name } });
				if (index % 2 === 0) return agent.send("storeWorkspaceFile", base64File(name, "x".repeat(index)));
				return putValue(agent, name, "x".repeat(index));
			}),
		);
		const [counted] = await runInDurableObject(workspaceOf(agent), (_, state) => [
			...state.storage.sql.exec<Record<string, number>>(
				`select (select count(*) from entries) as keys_used, (select coalesce(sum(length(cast(value as blob))), 0) from entries) as bytes_used,
					(select count(*) from files) as files_used, (select coalesce(sum(size_bytes), 0) from files) as file_bytes`,
			),
		]);
		const [entries, files] = [await agent.call("getWorkspaceQuota"), await agent.call("getWorkspaceFileQuota")];
		expect(counted).toEqual({
			keys_used: entries.keys_used,
			bytes_used: entries.bytes_used,
			files_used: files.files_used,
			file_bytes: files.bytes_used,
		});
		await passTime(agent, LONG_MS);
		await expectNoLeftovers(agent);
	});
});

describe("the costs", () => {
	it("of each operation are one call to the object, two for a direct upload, and none to D1", async () => {
		const agent = await registerAgent();
		const calls = async (endpoint: Endpoint, input: object) => {
			const deps = testDeps();
			await run(
				endpoint,
				{ ...deps, actor: { agentId: agent.agentId }, requestId: "", baseUrl: "https://bounty.test" } as unknown as Ctx,
				input,
			);
			return { objects: deps.hubs.use.calls, d1: deps.db.use.calls };
		};
		const one = { objects: 1, d1: 0 };
		const params = { key: "k" };
		expect(await calls(operations.putWorkspaceEntry, { params, body: { value: 1 } })).toEqual(one);
		expect(await calls(operations.getWorkspaceEntry, { params })).toEqual(one);
		expect(await calls(operations.listWorkspaceEntries, { query: { prefix: "", limit: 50 } })).toEqual(one);
		expect(await calls(operations.getWorkspaceQuota, {})).toEqual(one);
		expect(await calls(operations.deleteWorkspaceEntry, { params })).toEqual(one);
		expect(await calls(operations.storeWorkspaceFile, { body: { path: "a", content_base64: "" } })).toEqual({ objects: 2, d1: 0 });
	});

	it("of a request are one call to the object and the key's lookup in D1", async () => {
		const agent = await registerAgent();
		await putValue(agent, "k", 1);
		const lines: string[] = [];
		vi.spyOn(console, "log").mockImplementation((line: string) => lines.push(line));
		await (await agent.send("getWorkspaceEntry", { params: { key: "k" } })).text();
		vi.restoreAllMocks();
		const request = lines.map((line) => JSON.parse(line)).find(({ event }) => event === "request");
		expect(request).toMatchObject({ status: 200, object_calls: 1 });
		expect(request.d1_calls).toBeLessThanOrEqual(1);
	});

	it("of a page do not grow with the pages before it", async () => {
		const agent = await registerAgent();
		await seedEntries(agent, numberedPaths(2_000));
		const rowsRead = await runInDurableObject(workspaceOf(agent), (_, { storage }) => {
			const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
			const sql = {
				exec<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) {
					const cursor = storage.sql.exec<T>(query, ...bindings);
					cursors.push(cursor);
					return cursor;
				},
			};
			expect(selectEntries(sql, { prefix: "n", after: "n01899", limit: 51 })).toHaveLength(51);
			return cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
		});
		expect(rowsRead).toBeLessThanOrEqual(2 * 51);
	});
});
