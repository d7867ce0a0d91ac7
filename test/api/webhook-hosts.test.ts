import { describe, expect, it } from "vitest";
import { API_KEY_TIERS } from "../../src/domain/actor.ts";
import { testDeps } from "../support/deps.ts";
import { setTier } from "../support/directory.ts";
import { registerAgent, taskInput } from "../support/scenario.ts";
import { copyWebhook, countActiveWebhooks, holdPlatform, moveWebhook, subscribe } from "../support/webhooks.ts";
import { createWorld } from "../support/world.ts";

const MAX_PER_HOST = 200;

/** Returns a new host with this many active webhooks of one anonymous agent. */
async function fillHost(total: number) {
	const platform = holdPlatform();
	const host = `${crypto.randomUUID()}.example`;
	const url = `https://${host}/hook`;
	const agent = await registerAgent();
	const { id } = await subscribe(agent, url);
	await copyWebhook(id, total - 1);
	const client = async () => platform.clientOf(await registerAgent());
	return { platform, host, url, agent, id, client };
}

describe("active webhooks of one host", () => {
	it("are at most 200 for all anonymous agents together, also when created in parallel", async () => {
		const { host, url, agent, id, client } = await fillHost(MAX_PER_HOST - 10);
		const clients = await Promise.all(Array.from({ length: 20 }, client));
		const body = { url, events: ["task.opened"] };
		const responses = await Promise.all(clients.map((one) => one.send("createWebhook", { body })));
		const statuses = responses.map(({ status }) => status);
		await Promise.all(responses.map((response) => response.body?.cancel()));
		expect(await countActiveWebhooks(host)).toBe(MAX_PER_HOST);
		expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => 201), ...Array.from({ length: 10 }, () => 409)]);
		const late = await client();
		const { message } = await late.refused("createWebhook", "CONFLICT", { body });
		expect(message).toContain(host);
		expect(message).toMatch(/sign in|DELETE/i);
		await agent.call("deleteWebhook", { params: { id } });
		await late.call("createWebhook", { body });
		await late.refused("createWebhook", "CONFLICT", { body });
	});

	it.each([
		["in capitals", (host: string) => `https://${host.toUpperCase()}/`],
		["with a final dot", (host: string) => `https://${host}./hook`],
		["with another port", (host: string) => `https://${host}:8443/hook`],
		["with percent-encoded letters", (host: string) => `https://${host.replace("example", "ex%61mple")}/hook`],
		["with another name below its domain", (host: string) => `https://a.b.${host}/hook`],
	])("count the host %s as the same", async (_, spell) => {
		const { host, client } = await fillHost(MAX_PER_HOST);
		await (await client()).refused("createWebhook", "CONFLICT", { body: { url: spell(host), events: ["task.opened"] } });
	});

	it("leave room at services that give out URLs, so that strangers cannot use up their hosts", async () => {
		const { id, client } = await fillHost(1);
		await moveWebhook(id, "https://slack.com/hook");
		await copyWebhook(id, MAX_PER_HOST - 1);
		const one = await client();
		const body = { url: "https://hooks.slack.com/services/T2/B2/y", format: "slack", events: ["task.opened"] } as const;
		const created = await one.call("createWebhook", { body });
		await one.call("updateWebhook", { params: { id: created.id }, body: { url: "https://hooks.slack.com/services/T2/B2/z" } });
		// Other URLs of the same domain count.
		await one.refused("createWebhook", "CONFLICT", { body: { ...body, url: "https://echo.slack.com/services/T2/B2/y" } });
	});

	it("count ports of loopback as separate hosts in development", async () => {
		const { id, client } = await fillHost(1);
		await moveWebhook(id, "http://127.0.0.1:9001/hook");
		await copyWebhook(id, MAX_PER_HOST - 1);
		const one = await client();
		await one.refused("createWebhook", "CONFLICT", { body: { url: "http://127.0.0.1:9001/other", events: ["task.opened"] } });
		await one.call("createWebhook", { body: { url: "http://127.0.0.1:9002/hook", events: ["task.opened"] } });
	});

	it("count or do not count by the agent's current tier", async () => {
		const { url, agent, client } = await fillHost(MAX_PER_HOST);
		const one = await client();
		const body = { url, events: ["task.opened"] };
		for (const tier of API_KEY_TIERS) {
			await setTier(agent.agentId, tier);
			if (tier === "anonymous" || tier === "operator_child") await one.refused("createWebhook", "CONFLICT", { body });
			else await one.call("deleteWebhook", { params: { id: (await one.call("createWebhook", { body })).id } });
		}
	});

	it("may be more for an agent of a signed-in human", async () => {
		const { platform, host, url } = await fillHost(MAX_PER_HOST);
		const agent = await registerAgent();
		await setTier(agent.agentId, "verified");
		await platform.clientOf(agent).call("createWebhook", { body: { url, events: ["task.opened"] } });
		expect(await countActiveWebhooks(host)).toBe(MAX_PER_HOST + 1);
	});

	it("are counted without reading those that do not count", async () => {
		const { platform, url, agent, id, client } = await fillHost(MAX_PER_HOST);
		const human = await registerAgent();
		await setTier(human.agentId, "verified");
		for (const webhook of [await subscribe(human, url), await subscribe(human, "https://elsewhere.example.com/")]) {
			await copyWebhook(webhook.id, 5_000);
		}
		const one = await client();
		const body = { url, events: ["task.opened"] };
		const before = platform.deps.db.use.rowsRead;
		await one.refused("createWebhook", "CONFLICT", { body });
		expect(platform.deps.db.use.rowsRead - before).toBeLessThanOrEqual(3 * MAX_PER_HOST);
		await agent.call("deleteWebhook", { params: { id } });
		const then = platform.deps.db.use.rowsRead;
		await one.call("createWebhook", { body });
		expect(platform.deps.db.use.rowsRead - then).toBeLessThanOrEqual(2 * MAX_PER_HOST);
	});
});

describe("the platform's own host", () => {
	it("is refused as a target, because it would register agents and log their keys", async () => {
		const url = "https://bounties.example.com/api/v1/agent/register-anonymous";
		const { config } = testDeps();
		const client = createWorld().enter(await registerAgent(), { config: { ...config, publicUrl: new URL(url).origin } });
		const refused = await client.refused("createWebhook", "INVALID_BODY", { body: { url, events: ["task.opened"] } });
		expect(refused.message).toContain("this platform");
		const judged = { ...taskInput(), eval_mode: "external", eval_callback_url: url };
		expect((await client.refused("createTask", "INVALID_BODY", { body: judged })).message).toContain("this platform");
	});
});
