// Many agents can point webhooks at one host. What they can do to it together has limits.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createWebhook, deleteWebhook } from "../../src/features/webhooks/contract.ts";
import { registerAgent } from "../support/scenario.ts";
import { count } from "../support/storage.ts";
import { copyWebhook, holdPlatform, subscribe } from "../support/webhooks.ts";

const MAX_PER_HOST = 200;

const activeAt = (host: string) => count("select count(*) from webhooks where active = 1 and instr(lower(url), ?) > 0", host);

/** A host of its own with this many active webhooks of one anonymous agent. */
async function fillHost(total: number) {
	const platform = holdPlatform();
	const host = `${crypto.randomUUID()}.example.com`;
	const url = `https://${host}/hook`;
	const agent = await registerAgent();
	const { id } = await subscribe(agent, url);
	await copyWebhook(id, total - 1);
	const client = async () => platform.clientOf(await registerAgent());
	return { platform, host, url, agent, id, client };
}

describe("active webhooks of one host", () => {
	it("are at most 200 over all anonymous agents, also when creations run in parallel", async () => {
		const { host, url, agent, id, client } = await fillHost(MAX_PER_HOST - 10);
		const clients = await Promise.all(Array.from({ length: 20 }, client));
		const body = { url, events: ["task.opened"] };
		const responses = await Promise.all(clients.map((one) => one.send(createWebhook, { body })));
		const statuses = responses.map(({ status }) => status);
		await Promise.all(responses.map((response) => response.body?.cancel()));
		expect(await activeAt(host)).toBe(MAX_PER_HOST);
		expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => 201), ...Array.from({ length: 10 }, () => 409)]);
		const late = await client();
		const { message } = await late.refused(createWebhook, "CONFLICT", { body });
		expect(message).toContain(host);
		expect(message).toMatch(/sign in|DELETE/i);
		await agent.call(deleteWebhook, { params: { id } });
		await late.call(createWebhook, { body });
		await late.refused(createWebhook, "CONFLICT", { body });
	});

	it.each([
		["in capitals", (host: string) => `https://${host.toUpperCase()}/`],
		["with a final dot", (host: string) => `https://${host}./hook`],
		["with another port", (host: string) => `https://${host}:8443/hook`],
		["with percent-encoded letters", (host: string) => `https://${host.replace("example", "ex%61mple")}/hook`],
	])("count the host %s as the same", async (_, spell) => {
		const { host, client } = await fillHost(MAX_PER_HOST);
		await (await client()).refused(createWebhook, "CONFLICT", { body: { url: spell(host), events: ["task.opened"] } });
	});

	it("count ports of loopback as hosts of their own in development", async () => {
		const { id, client } = await fillHost(1);
		const move = "update webhooks set url = 'http://127.0.0.1:9001/hook', host = '127.0.0.1:9001' where id = ?";
		await env.DB.prepare(move).bind(id).run();
		await copyWebhook(id, MAX_PER_HOST - 1);
		const one = await client();
		await one.refused(createWebhook, "CONFLICT", { body: { url: "http://127.0.0.1:9001/other", events: ["task.opened"] } });
		await one.call(createWebhook, { body: { url: "http://127.0.0.1:9002/hook", events: ["task.opened"] } });
	});
});
