// A request that was let in before an erasure or a revocation can write after it, because its body arrives slowly.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sweepStandings } from "../../../../src/extensions/operating/privacy/sweep-standings.ts";
import { admin } from "../../../support/admin.ts";
import { createApp } from "../../../support/app.ts";
import { randomAddress } from "../../../support/client.ts";
import { testDeps } from "../../../support/deps.ts";
import { listStandingChanges } from "../../../support/directory.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { openTask, registerAgent, taskInput } from "../../../support/scenario.ts";
import { queryAll } from "../../../support/storage.ts";

const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
const MARK = "Marchbanks";

/** Begins requests. `finish` lets their bodies arrive after a time in milliseconds of the platform's clock, and returns the statuses. */
async function beginWrites(key: string, writes: readonly (readonly [method: string, path: string, body: unknown])[]) {
	const clock = manualClock(Date.now());
	const app = createApp(() => testDeps({ clock }));
	const arrival = Promise.withResolvers<void>();
	const reads: Promise<void>[] = [];
	const responses = writes.map(([method, path, content]) => {
		const isRead = Promise.withResolvers<void>();
		reads.push(isRead.promise);
		const body = new ReadableStream<Uint8Array>(
			{
				// The first pull comes from the endpoint that reads the body, after the caller was let in.
				async pull(controller) {
					isRead.resolve();
					await arrival.promise;
					controller.enqueue(new TextEncoder().encode(JSON.stringify(content)));
					controller.close();
				},
			},
			{ highWaterMark: 0 },
		);
		// An IP address of its own, because the limits of a network are shared with all other tests.
		const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "CF-Connecting-IP": randomAddress() };
		const response = Promise.resolve(app.fetch(new Request(`https://bounties.test${path}`, { method, headers, body })));
		// A request that is refused at once never reads its body, and fails the test by its status.
		void response.then(() => isRead.resolve());
		return response;
	});
	await Promise.all(reads);
	return {
		async finish(afterMs = 0): Promise<number[]> {
			clock.advance(afterMs);
			arrival.resolve();
			return (await Promise.all(responses)).map(({ status }) => status);
		},
	};
}

const writesOf = (taskId: string) =>
	[
		["PUT", "/api/v1/agent/profile", { display_name: MARK, bio: MARK, specialization_tags: [MARK] }],
		["PUT", "/api/v1/wallet", { payout_method: "onchain_usdc", payout_address: ADDRESS }],
		["PUT", `/api/v1/workspace/kv/${MARK}`, { value: MARK }],
		["POST", "/api/v1/workspace/files", { path: "a.txt", content_base64: btoa(MARK) }],
		["POST", "/api/v1/webhooks", { url: `https://${MARK}.example/hook`, events: ["deal.created"] }],
		["POST", "/api/v1/reports", { task_id: taskId, reason: MARK }],
		["POST", "/api/v1/tasks", taskInput({ title: MARK })],
	] as const;

/** Returns what of the agent's own words or addresses the databases, its workspace and the bucket have. */
async function tracesOf(agentId: string): Promise<unknown[]> {
	const tables = ["agents", "agent_specializations", "webhooks", "webhook_scopes", "reports", "task_cards", "replies", "api_keys"];
	const rows = await Promise.all(tables.map(async (table) => [table, await queryAll(`select * from ${table}`)] as const));
	const workspace = env.WORKSPACE.getByName(agentId);
	const stored = [
		...rows,
		["entries", await workspace.listEntries({ prefix: "", after: null, limit: 10 })],
		["files", await workspace.listFiles({ prefix: "", after: null, limit: 10 })],
		["objects", (await env.BUCKET.list({ prefix: `workspace/${agentId}/` })).objects.map(({ key }) => `${MARK} ${key}`)],
	] as const;
	return stored.filter(([, content]) => new RegExp(`${MARK}|${ADDRESS}`, "i").test(JSON.stringify(content))).map(([name]) => name);
}

describe("a write that was let in before the agent was erased", () => {
	it("is erased too, by the sweep at the latest", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const writes = await beginWrites(agent.key, writesOf(taskId));
		await admin.call("eraseAgent", { params: { id: agent.agentId }, body: { reason: "They asked for it." } });
		for (const status of await writes.finish()) expect(status).toBeLessThan(500);
		await sweepStandings(testDeps({ clock: manualClock(Date.now() + 60_000) }));
		expect(await listStandingChanges(agent.agentId)).toEqual([]);
		await expect.poll(() => tracesOf(agent.agentId)).toEqual([]);
	});

	it("is refused if its body took longer than the sweep waits", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const writes = await beginWrites(agent.key, writesOf(taskId));
		await admin.call("eraseAgent", { params: { id: agent.agentId }, body: { reason: "They asked for it." } });
		await sweepStandings(testDeps({ clock: manualClock(Date.now() + 60_000) }));
		expect(new Set(await writes.finish(35_000))).toEqual(new Set([401]));
		expect(await tracesOf(agent.agentId)).toEqual([]);
	});
});

describe("a sweep that cannot erase an agent", () => {
	it("still applies the decisions about others, and tries again", async () => {
		const [stuck, other] = [await registerAgent(), await registerAgent()];
		for (const { agentId } of [stuck, other]) {
			await admin.call("eraseAgent", { params: { id: agentId }, body: { reason: "They asked for it." } });
		}
		const deps = testDeps({ clock: manualClock(Date.now() + 60_000) });
		const callWorkspace: typeof deps.hubs.callWorkspace = async (agentId, call) => {
			if (agentId === stuck.agentId) throw new Error("The object does not work.");
			return deps.hubs.callWorkspace(agentId, call);
		};
		await sweepStandings({ ...deps, hubs: { ...deps.hubs, callWorkspace } });
		expect(await listStandingChanges(other.agentId)).toEqual([]);
		expect(await listStandingChanges(stuck.agentId)).toHaveLength(1);
		await sweepStandings(deps);
		expect(await listStandingChanges(stuck.agentId)).toEqual([]);
	});
});

describe("a write whose body arrives slowly", () => {
	it("is refused if its key was revoked or its agent suspended more than 10 seconds before", async () => {
		const [poster, agent, other] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { api_key } = await agent.call("createApiKey");
		const revoked = await beginWrites(api_key, writesOf(taskId));
		const suspended = await beginWrites(other.key, writesOf(taskId));
		const [newest] = (await agent.call("listApiKeys")).data;
		await agent.call("revokeApiKey", { query: { id: newest?.id ?? "" } });
		await admin.call("suspendAgent", { params: { id: other.agentId }, body: { reason: "Spam." } });
		expect(new Set(await revoked.finish(11_000))).toEqual(new Set([401]));
		expect(new Set(await suspended.finish(11_000))).toEqual(new Set([403]));
	});

	it("succeeds with a credential that is still good", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const writes = await beginWrites(agent.key, writesOf(await openTask(poster)));
		for (const status of await writes.finish(30_000)) expect(status).toBeLessThan(300);
	});
});
