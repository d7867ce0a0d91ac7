// A webhook is open until someone ends it, so it ends with the credential that opened it or has last given it a URL or a secret.
import { describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { type Client, createClient } from "../support/client.ts";
import { revokeKeyElsewhere } from "../support/directory.ts";
import { createFleet, openSession, signInHuman } from "../support/identities.ts";
import { registerAgent } from "../support/scenario.ts";
import { reviveWebhook, seenBySender } from "../support/webhooks.ts";

/** A webhook of this format needs no test. */
const open = (client: Client) =>
	client.call("createWebhook", {
		body: { url: `https://receiver.example.com/${crypto.randomUUID()}`, events: ["submission.completed"], format: "slack" },
	});

/** Returns an agent's webhooks by their ids: "active", or why they have stopped. */
async function statesOf(client: Client): Promise<Readonly<Record<string, string | undefined>>> {
	const { data } = await client.call("listWebhooks", { query: { limit: 100 } });
	return Object.fromEntries(data.map(({ id, active, inactive_reason }) => [id, active ? "active" : inactive_reason]));
}

/** Returns an agent with two programs that have a key each. */
async function withTwoKeys() {
	const first = await registerAgent();
	const { id: secondId, api_key: key } = await first.call("createApiKey");
	const [, { id: firstId } = { id: "" }] = (await first.call("listApiKeys")).data;
	return { agentId: first.agentId, first, firstId, second: createClient({ key }), secondId };
}

const keyOf = (id: string, keep?: "true" | "false") => ({ query: { id, ...(keep === undefined ? {} : { keep_webhooks: keep }) } });

describe("revoking a key", () => {
	it("ends the webhooks that were made with it and in its sessions, says which, and leaves the others", async () => {
		const { agentId, first, firstId, second } = await withTwoKeys();
		const ended = [await open(first), await open(await openSession(first.key))].map(({ id }) => id);
		const kept = await open(second);
		expect(await seenBySender(agentId)).toEqual({ events: [...ended, kept.id], waiting: [...ended, kept.id] });
		expect(await second.call("revokeApiKey", keyOf(firstId))).toEqual({ id: firstId, revoked: true, ended_webhooks: ended });
		expect(await statesOf(second)).toEqual({ ...Object.fromEntries(ended.map((id) => [id, "revoked"])), [kept.id]: "active" });
		expect(await seenBySender(agentId)).toEqual({ events: [kept.id], waiting: [kept.id] });
	});

	it("keeps its webhooks on request, which then depend on the credential of the request", async () => {
		const { first, firstId, second, secondId } = await withTwoKeys();
		const { id } = await open(first);
		expect((await second.call("revokeApiKey", keyOf(firstId, "true"))).ended_webhooks).toEqual([]);
		expect(await statesOf(second)).toEqual({ [id]: "active" });
		const { api_key: third } = await second.call("createApiKey");
		expect((await createClient({ key: third }).call("revokeApiKey", keyOf(secondId, "false"))).ended_webhooks).toEqual([id]);
	});

	it("cannot keep them for itself or for its own session, and nothing changes", async () => {
		const { first, firstId } = await withTwoKeys();
		const { id } = await open(first);
		const { details } = await first.refused("revokeApiKey", "VALIDATION_ERROR", { query: { id: firstId, keep_webhooks: "yes" } });
		expect(details).toMatchObject([{ path: "keep_webhooks" }]);
		for (const caller of [first, await openSession(first.key)]) await caller.refused("revokeApiKey", "CONFLICT", keyOf(firstId, "true"));
		expect(await statesOf(first)).toEqual({ [id]: "active" });
		expect((await first.call("revokeApiKey", keyOf(firstId))).ended_webhooks).toEqual([id]);
	});

	it("ends the right to make and to change webhooks where the key is still remembered", async () => {
		const { first, firstId, second } = await withTwoKeys();
		const { id } = await open(second);
		await first.call("whoAmI");
		await revokeKeyElsewhere(firstId);
		const of = { params: { id } };
		await first.refused("createWebhook", "unauthorized", {
			body: { url: "https://thief.example.com", events: ["task.opened"], format: "slack" },
		});
		await first.refused("updateWebhook", "unauthorized", { ...of, body: { url: "https://thief.example.com" } });
		await first.refused("rotateWebhookSecret", "unauthorized", of);
		expect((await second.call("listWebhooks")).data).toMatchObject([{ id, active: true, url: expect.stringContaining("receiver") }]);
	});

	it("leaves no webhook that a request of the key makes at the same time", async () => {
		await Promise.all(
			Array.from({ length: 6 }, async () => {
				const { first, firstId, second } = await withTwoKeys();
				const { id: changed } = await open(second);
				const receiver = { params: { id: changed }, body: { url: "https://thief.example.com/hook" } };
				const [made, moved] = await Promise.all([
					first.send("createWebhook", { body: { url: "https://thief.example.com", events: ["task.opened"], format: "slack" } }),
					first.send("updateWebhook", receiver),
					second.call("revokeApiKey", keyOf(firstId)),
				]);
				expect([201, 401]).toContain(made.status);
				const { data } = await second.call("listWebhooks");
				expect(data.filter(({ url, active }) => active && url.includes("thief"))).toEqual([]);
				if (moved.status !== 200) expect(data.find(({ id }) => id === changed)).toMatchObject({ active: true });
			}),
		);
	});
});

describe("a webhook", () => {
	it.each<readonly [string, (by: Client, id: string) => Promise<unknown>]>([
		["another URL", (by, id) => by.call("updateWebhook", { params: { id }, body: { url: "https://other.example.com/hook" } })],
		["another secret", (by, id) => by.call("rotateWebhookSecret", { params: { id } })],
		["its activity again", (by, id) => by.call("updateWebhook", { params: { id }, body: { active: true } })],
	])("depends on the key that has given it %s", async (_what, change) => {
		const { first, firstId, second, secondId } = await withTwoKeys();
		const { id } = await open(first);
		await change(second, id);
		expect((await second.call("revokeApiKey", keyOf(firstId))).ended_webhooks).toEqual([]);
		expect((await second.call("revokeApiKey", keyOf(secondId))).ended_webhooks).toEqual([id]);
	});

	it("goes on depending on its key when another one changes its events or pauses it", async () => {
		const { first, firstId, second } = await withTwoKeys();
		const { id } = await open(first);
		await second.call("updateWebhook", { params: { id }, body: { events: ["task.closed"] } });
		expect((await second.call("revokeApiKey", keyOf(firstId))).ended_webhooks).toEqual([id]);
	});

	it("that has ended is revived by another key, and ends with that one", async () => {
		const { agentId, first, firstId, second, secondId } = await withTwoKeys();
		const { id } = await open(first);
		await second.call("revokeApiKey", keyOf(firstId));
		const of = { params: { id } };
		await second.refused("testWebhook", "CONFLICT", of);
		await second.refused("rotateWebhookSecret", "CONFLICT", of);
		expect(await second.call("updateWebhook", { ...of, body: { active: true } })).toMatchObject({ active: true });
		expect(await seenBySender(agentId)).toEqual({ events: [id], waiting: [id] });
		expect((await second.call("revokeApiKey", keyOf(secondId))).ended_webhooks).toEqual([id]);
	});

	it("of a signed-in person ends neither with the session nor with a key", async () => {
		const person = await signInHuman();
		const { id } = await open(person);
		const { id: keyId, api_key: key } = await person.call("createApiKey");
		const program = createClient({ key });
		await person.call("revokeApiKey", keyOf((await program.call("createApiKey")).id));
		await person.call("signOut");
		expect(await statesOf(program)).toEqual({ [id]: "active" });
		expect((await program.call("revokeApiKey", keyOf(keyId))).ended_webhooks).toEqual([]);
		expect(await seenBySender(person.agentId)).toEqual({ events: [id], waiting: [id] });
	});

	it("of a child ends with the operator token, and one that begins later gets nothing", async () => {
		const fleet = await createFleet();
		const child = await fleet.mint();
		const other = await (await createFleet()).mint();
		const [{ id }, kept] = [await open(child), await open(other)];
		await fleet.operator.call("revokeOperatorToken", { params: { id: fleet.tokenId } });
		expect(await seenBySender(child.agentId)).toEqual({ events: [], waiting: [] });
		await reviveWebhook(id);
		expect(await seenBySender(child.agentId)).toEqual({ events: [], waiting: [] });
		expect(await statesOf(other)).toEqual({ [kept.id]: "active" });
	});

	it("of an agent that a person claims stays if the presented key made it", async () => {
		const { first, second } = await withTwoKeys();
		const [kept, ended] = [await open(first), await open(second)];
		const person = await signInHuman();
		await person.call("claimAgent", { body: { api_key: first.key } });
		expect(await statesOf(first)).toEqual({ [kept.id]: "active", [ended.id]: "revoked" });
	});

	it("rests while its agent is suspended, and goes on after the restoration", async () => {
		const agent = await registerAgent();
		const { id } = await open(agent);
		const act = { params: { id: agent.agentId }, body: { reason: "A test." } };
		await admin.call("suspendAgent", act);
		expect(await seenBySender(agent.agentId)).toEqual({ events: [], waiting: [] });
		await admin.call("restoreAgent", act);
		expect(await seenBySender(agent.agentId)).toEqual({ events: [id], waiting: [id] });
	});
});
