// Passkeys end with the sessions that they opened. These tests show when, and what passkeys are worth in a claim.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { Authenticator } from "../../support/authenticator.ts";
import { createClient, randomAddress } from "../../support/client.ts";
import { createFleet, signInHuman } from "../../support/identities.ts";
import { addPasskey, makePasskey, signInWith, signWith } from "../../support/passkeys.ts";
import { registerAgent } from "../../support/scenario.ts";

const anonymous = createClient();
const isGone = async (authenticator: Authenticator) =>
	anonymous.refused("openPasskeySession", "unauthorized", { body: await signWith(authenticator) });

describe("removing a passkey", () => {
	it("ends the sessions that it opened, and no others", async () => {
		const agent = await registerAgent();
		const [first, second] = [await addPasskey(agent), await addPasskey(agent)];
		const [signedIn, other] = [await signInWith(first.authenticator), await signInWith(second.authenticator)];
		expect(await signedIn.call("removePasskey", { params: { id: first.passkey.id } })).toEqual({ id: first.passkey.id, removed: true });
		await signedIn.refused("whoAmI", "unauthorized");
		await isGone(first.authenticator);
		expect((await other.call("listPasskeys")).data.map(({ id }) => id)).toEqual([second.passkey.id]);
		await other.refused("removePasskey", "NOT_FOUND", { params: { id: first.passkey.id } });
	});

	it("is 404 for another person's", async () => {
		const { passkey } = await addPasskey(await registerAgent());
		const other = await registerAgent();
		await addPasskey(other);
		await other.refused("removePasskey", "NOT_FOUND", { params: { id: passkey.id } });
	});

	it("keeps the last one while neither a key nor a provider remains", async () => {
		const human = await signInHuman();
		await human.call("removePasskey", { params: { id: (await addPasskey(human)).passkey.id } });
		const agent = await registerAgent();
		await agent.call("removePasskey", { params: { id: (await addPasskey(agent)).passkey.id } });

		const { person, passkey } = await withoutKey();
		await person.refused("removePasskey", "CONFLICT", { params: { id: passkey.id } });
		await addPasskey(person);
		await person.call("removePasskey", { params: { id: passkey.id } });
		await person.refused("whoAmI", "unauthorized");
	});

	it("keeps one of the last two that are removed at once", async () => {
		const { person, passkey, authenticator } = await withoutKey();
		const ids = [passkey.id, (await addPasskey(person)).passkey.id];
		const sessions = [await signInWith(authenticator), await signInWith(authenticator)];
		const replies = await Promise.all(ids.map((id, index) => sessions[index]?.send("removePasskey", { params: { id } })));
		expect(replies.map((reply) => reply?.status).toSorted()).toEqual([
			200,
			expect.toSatisfy((status: number) => status === 409 || status === 401),
		]);
	});
});

/** Sends a PUT to a signed URL, as anyone may who knows it. */
async function putTo(url: string): Promise<Response> {
	const headers = { "CF-Connecting-IP": randomAddress(), "Content-Type": "application/octet-stream" };
	return exports.default.fetch(new Request(url, { method: "PUT", body: "notes", headers }));
}

/** Returns a person who has one passkey and neither a key nor a provider. */
async function withoutKey() {
	const agent = await registerAgent();
	const { authenticator, passkey } = await addPasskey(agent);
	const person = await signInWith(authenticator);
	const [{ id } = { id: "" }] = (await person.call("listApiKeys")).data;
	await person.call("revokeApiKey", { query: { id } });
	await agent.refused("whoAmI", "unauthorized");
	return { person, passkey, authenticator };
}

describe("a passkey that a key made", () => {
	it("ends with the key, together with what it made itself and the sessions of both", async () => {
		const agent = await registerAgent();
		const other = createClient({ key: (await agent.call("createApiKey")).api_key });
		const thief = await addPasskey(agent);
		const ofThief = await signInWith(thief.authenticator);
		const child = await addPasskey(ofThief);
		const ofChild = await signInWith(child.authenticator);
		const kept = await addPasskey(other);
		const [{ id: keyId } = { id: "" }] = (await agent.call("listApiKeys")).data.filter(({ name }) => name === "first key");
		await other.call("revokeApiKey", { query: { id: keyId } });
		for (const session of [ofThief, ofChild]) await session.refused("whoAmI", "unauthorized");
		for (const { authenticator } of [thief, child]) await isGone(authenticator);
		expect((await other.call("listPasskeys")).data.map(({ id }) => id)).toEqual([kept.passkey.id]);
		expect((await signInWith(kept.authenticator)).session.agent_id).toBe(agent.agentId);
	});

	it("ends with the key, together with the signed URLs that its sessions got", async () => {
		const agent = await registerAgent();
		const other = createClient({ key: (await agent.call("createApiKey")).api_key });
		const [thief, own] = [await addPasskey(agent), await addPasskey(other)];
		const urlOf = async (authenticator: Authenticator) => {
			const session = await signInWith(authenticator);
			return (await session.call("createWorkspaceUploadUrl", { body: { path: "notes.bin" } })).upload_url;
		};
		const [ofThief, ofOwn] = [await urlOf(thief.authenticator), await urlOf(own.authenticator)];
		const [{ id: keyId } = { id: "" }] = (await agent.call("listApiKeys")).data.filter(({ name }) => name === "first key");
		await other.call("revokeApiKey", { query: { id: keyId } });
		expect((await putTo(ofThief)).status).toBe(401);
		expect((await putTo(ofOwn)).status).toBe(200);
	});

	it("ends with the key, together with the webhooks of its sessions, unless its person has confirmed it", async () => {
		const human = await signInHuman();
		const { api_key, id } = await human.call("createApiKey");
		const byKey = createClient({ key: api_key });
		const open = async ({ authenticator }: { authenticator: Authenticator }) => {
			const body = { url: "https://receiver.example.com/hook", events: ["task.opened"], format: "slack" };
			return (await (await signInWith(authenticator)).call("createWebhook", { body })).id;
		};
		const [ended, confirmed] = [await addPasskey(byKey), await addPasskey(byKey)];
		const [lost, kept] = [await open(ended), await open(confirmed)];
		const session = await signInWith(confirmed.authenticator, human);
		expect((await session.call("revokeApiKey", { query: { id } })).ended_webhooks).toEqual([lost]);
		expect((await session.call("listWebhooks")).data.find((webhook) => webhook.id === kept)).toMatchObject({ active: true });
	});

	it("keeps the webhooks of its sessions when its person revokes the key in one of them", async () => {
		const agent = await registerAgent();
		const person = await signInWith((await addPasskey(agent)).authenticator);
		const body = { url: "https://receiver.example.com/hook", events: ["task.opened"], format: "slack" };
		const { id } = await person.call("createWebhook", { body });
		const [key] = (await person.call("listApiKeys")).data;
		expect((await person.call("revokeApiKey", { query: { id: key?.id ?? "" } })).ended_webhooks).toEqual([]);
		expect((await person.call("listWebhooks")).data).toMatchObject([{ id, active: true }]);
	});

	it("stays if it was used where its person was signed in by other means, and not if it was only used", async () => {
		const human = await signInHuman();
		const { api_key, id } = await human.call("createApiKey");
		const byKey = createClient({ key: api_key });
		const [confirmed, used] = [await addPasskey(byKey), await addPasskey(byKey)];
		const early = await signInWith(confirmed.authenticator);
		await signInWith(used.authenticator, await signInWith(used.authenticator));
		const session = await signInWith(confirmed.authenticator, human);
		await session.call("revokeApiKey", { query: { id } });
		for (const browser of [session, early]) expect((await browser.call("whoAmI")).agent_id).toBe(human.agentId);
		await signInWith(confirmed.authenticator);
		await isGone(used.authenticator);
	});

	it("is not confirmed in another person's browser", async () => {
		const agent = await registerAgent();
		const { authenticator } = await addPasskey(agent);
		const other = createClient({ key: (await agent.call("createApiKey")).api_key });
		await signInWith(authenticator, await signInHuman());
		const [{ id } = { id: "" }] = (await agent.call("listApiKeys")).data.filter(({ name }) => name === "first key");
		await other.call("revokeApiKey", { query: { id } });
		await isGone(authenticator);
	});

	it("is not added by a key or a session that ends at the same time", async () => {
		for (let round = 0; round < 5; round += 1) {
			const agent = await registerAgent();
			const { authenticator } = await addPasskey(agent);
			const session = await signInWith(authenticator);
			const added = new Authenticator();
			const body = await makePasskey(session, added);
			const [{ id } = { id: "" }] = (await agent.call("listApiKeys")).data;
			await Promise.all([session.send("addPasskey", { body }), agent.send("revokeApiKey", { query: { id } })]);
			await isGone(added);
		}
	});
});

describe("a claim", () => {
	it("ends every passkey that was made for the agent before, and their sessions", async () => {
		const agent = await registerAgent();
		const { authenticator } = await addPasskey(agent);
		const before = await signInWith(authenticator);
		const human = await signInHuman();
		const claim = await human.call("claimAgent", { body: { api_key: agent.key } });
		expect(claim).toMatchObject({ agent_id: agent.agentId, tier: "verified" });
		await before.refused("whoAmI", "unauthorized");
		await isGone(authenticator);
		expect(await agent.call("listPasskeys")).toEqual({ data: [] });
		await agent.refused("createPasskeyOptions", "FORBIDDEN");
	});

	it("by someone who has only passkeys leaves the agent anonymous, and happens once", async () => {
		const [own, other] = [await registerAgent(), await registerAgent()];
		const { authenticator } = await addPasskey(own);
		const person = await signInWith(authenticator);
		await person.refused("claimAgent", "CONFLICT", { body: { api_key: own.key } });
		expect(await person.call("claimAgent", { body: { api_key: other.key } })).toMatchObject({ tier: "anonymous" });
		expect((await other.call("whoAmI")).tier).toBe("anonymous");
		await (await signInHuman()).refused("claimAgent", "CONFLICT", { body: { api_key: other.key } });
		await other.refused("createPasskeyOptions", "FORBIDDEN");
		expect((await person.call("listPasskeys")).data).toHaveLength(1);
	});

	it("frees the agents that the earlier person had claimed", async () => {
		const [own, other] = [await registerAgent(), await registerAgent()];
		const person = await signInWith((await addPasskey(own)).authenticator);
		await person.call("claimAgent", { body: { api_key: other.key } });
		await (await signInHuman()).call("claimAgent", { body: { api_key: own.key } });
		expect(await (await signInHuman()).call("claimAgent", { body: { api_key: other.key } })).toMatchObject({ tier: "verified" });
	});

	it("and a first passkey at once leave the agent to one of them", async () => {
		for (let round = 0; round < 5; round += 1) {
			const agent = await registerAgent();
			const human = await signInHuman();
			const authenticator = new Authenticator();
			const body = await makePasskey(agent, authenticator);
			await Promise.all([agent.send("addPasskey", { body }), human.send("claimAgent", { body: { api_key: agent.key } })]);
			expect((await agent.call("whoAmI")).tier).toBe("verified");
			await isGone(authenticator);
		}
	});
});

describe("an agent of a fleet", () => {
	it("gets no passkeys, because its operator is behind it", async () => {
		const child = await (await createFleet()).mint();
		await child.refused("createPasskeyOptions", "FORBIDDEN");
		expect((await child.call("listPasskeys")).data).toEqual([]);
	});
});

describe("operators", () => {
	it("suspend and erase passkeys with their person, and export them", async () => {
		const agent = await registerAgent();
		const { authenticator } = await addPasskey(agent);
		const session = await signInWith(authenticator);
		const params = { id: agent.agentId };
		const { tables } = await admin.call("exportAgent", { params });
		expect(tables["passkeys"]).toMatchObject([{ user_id: agent.agentId }]);
		await admin.call("suspendAgent", { params, body: { reason: "Test." } });
		await session.refused("whoAmI", "FORBIDDEN");
		await anonymous.refused("openPasskeySession", "FORBIDDEN", { body: await signWith(authenticator) });
		await admin.call("restoreAgent", { params, body: { reason: "Test." } });
		await signInWith(authenticator);
		await admin.call("eraseAgent", { params, body: { reason: "Test." } });
		await isGone(authenticator);
		await session.refused("whoAmI", "unauthorized");
	});
});
