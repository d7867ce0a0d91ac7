// People sign in with passkeys: what works, and which attacks are refused.
import { describe, expect, it } from "vitest";
import { createApp } from "../../support/app.ts";
import { Authenticator, type Misbehaviour } from "../../support/authenticator.ts";
import { createClient } from "../../support/client.ts";
import { configWith, testDeps } from "../../support/deps.ts";
import { signInHuman } from "../../support/identities.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { addPasskey, makePasskey, signInWith, signWith } from "../../support/passkeys.ts";
import { createDraft, registerAgent } from "../../support/scenario.ts";
import { snapshotStorage } from "../../support/storage.ts";
import { MINUTE_MS } from "../../support/times.ts";

const ATTACKS: Readonly<Record<string, Misbehaviour>> = {
	"from another origin": { origin: "https://bounty.test.evil.example" },
	"for another host": { rpId: "evil.example" },
	"without a check of the person": { isUnverified: true },
	"of the other ceremony": { type: "webauthn.other" },
	"with a made-up challenge": { challenge: "bWFkZS11cA" },
};

describe("passkeys", () => {
	it("are a way to sign in without any configuration", async () => {
		expect((await createClient().call("listSignInProviders")).providers).toEqual([{ id: "passkey", name: "Passkey" }]);
	});

	it("ask for a verified person and a passkey that is found without its id", async () => {
		const agent = await registerAgent("Ada");
		expect(await agent.call("createPasskeyOptions")).toMatchObject({
			rp: { id: "bounty.test" },
			user: { name: "Ada" },
			authenticatorSelection: { residentKey: "required", userVerification: "required" },
			excludeCredentials: [],
		});
		const { passkey } = await addPasskey(agent);
		expect(passkey).toMatchObject({ name: "Laptop", last_used_at: null });
		expect((await agent.call("createPasskeyOptions")).excludeCredentials).toHaveLength(1);
		expect(await createClient().call("createPasskeySignInOptions")).toMatchObject({ rpId: "bounty.test", userVerification: "required" });
	});

	it("make an anonymous agent a person's, who signs in as it elsewhere, and stays anonymous", async () => {
		const agent = await registerAgent("Ada");
		const { authenticator, passkey } = await addPasskey(agent);
		const signedIn = await signInWith(authenticator);
		expect(signedIn.session).toMatchObject({ agent_id: agent.agentId, tier: "anonymous" });
		expect(await signedIn.call("whoAmI")).toMatchObject({ agent_id: agent.agentId, auth_method: "session", tier: "anonymous" });
		const [listed] = (await signedIn.call("listPasskeys")).data;
		expect(listed).toEqual({ ...passkey, last_used_at: expect.any(String) });
		await signedIn.refused("createOperatorToken", "TIER_FORBIDDEN");
	});

	it("leave their person in the caps of the network, with the agents that the person claims", async () => {
		const config = { ...testDeps().config, networkCaps: { agents: null, bytes: null, publishes: 1 } };
		const app = createApp(() => testDeps({ config }));
		const address = "203.0.113.77";
		const [own, other] = [await registerAgent(), await registerAgent()];
		const person = await signInWith((await addPasskey(own)).authenticator);
		await person.call("claimAgent", { body: { api_key: other.key } });
		const publish = async ({ key }: typeof own) => {
			const client = createClient({ key, address, fetch: (request) => app.fetch(request) });
			return client.send("publishTask", { params: { id: (await createDraft(client)).id } });
		};
		expect((await publish(own)).status).toBe(200);
		for (const agent of [own, other]) expect((await publish(agent)).status).toBe(429);
	});

	it("open a verified person's session too", async () => {
		const human = await signInHuman("Grace");
		const { authenticator } = await addPasskey(human, { name: null });
		expect((await signInWith(authenticator)).session).toMatchObject({ agent_id: human.agentId, tier: "verified" });
	});

	it("are at most 20 of a person", async () => {
		const agent = await registerAgent();
		for (let index = 0; index < 20; index += 1) await addPasskey(agent);
		await agent.refused("addPasskey", "CONFLICT", { body: await makePasskey(agent, new Authenticator()) });
	}, 30_000);

	it("need a host name, and name the URL that has one", async () => {
		const app = createApp(() => testDeps({ config: configWith({ PUBLIC_URL: "http://127.0.0.1:8787" }) }));
		const local = createClient({ fetch: (request) => app.fetch(request) });
		expect((await local.refused("createPasskeySignInOptions", "CONFLICT")).message).toContain("http://localhost:8787");
		const agent = await registerAgent();
		const ofAgent = createClient({ key: agent.key, fetch: (request) => app.fetch(request) });
		expect((await ofAgent.refused("createPasskeyOptions", "CONFLICT")).message).toContain("http://localhost:8787");
	});
});

describe("adding a passkey", () => {
	it.each(Object.entries(ATTACKS))("is refused %s, and changes nothing", async (_, how) => {
		const agent = await registerAgent();
		const body = await makePasskey(agent, new Authenticator(), how);
		const before = await snapshotStorage();
		await agent.refused("addPasskey", "BAD_REQUEST", { body });
		expect(await snapshotStorage()).toEqual(before);
	});

	it("is rejected with the challenge of another person, and with one for signing in", async () => {
		const [agent, other] = [await registerAgent(), await registerAgent()];
		await other.refused("addPasskey", "BAD_REQUEST", { body: await makePasskey(agent, new Authenticator()) });
		const { challenge } = await createClient().call("createPasskeySignInOptions");
		await agent.refused("addPasskey", "BAD_REQUEST", { body: await makePasskey(agent, new Authenticator(), { challenge }) });
	});

	it("uses its challenge once, also of two requests at once", async () => {
		const agent = await registerAgent();
		const options = await agent.call("createPasskeyOptions");
		const authenticator = new Authenticator();
		const bodies = [await authenticator.create(options), await authenticator.create(options)];
		const replies = await Promise.all(bodies.map((body) => agent.send("addPasskey", { body })));
		expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
		for (const body of bodies) await agent.refused("addPasskey", "CONFLICT", { body });
		expect((await agent.call("listPasskeys")).data).toHaveLength(1);
	});

	it("is refused after five minutes", async () => {
		const agent = await registerAgent();
		const clock = manualClock();
		const app = createApp(() => testDeps({ clock }));
		const later = createClient({ key: agent.key, fetch: (request) => app.fetch(request) });
		const body = await makePasskey(later, new Authenticator());
		clock.advance(5 * MINUTE_MS);
		await later.refused("addPasskey", "BAD_REQUEST", { body });
	});

	it("is refused for a passkey that someone has", async () => {
		const [agent, other] = [await registerAgent(), await registerAgent()];
		const authenticator = new Authenticator();
		const options = await agent.call("createPasskeyOptions");
		const response = await authenticator.create(options);
		await agent.call("addPasskey", { body: response });
		const { challenge } = await other.call("createPasskeyOptions");
		const { clientDataJSON } = (await new Authenticator().create({ ...options, challenge })).response;
		await other.refused("addPasskey", "CONFLICT", { body: { ...response, response: { ...response.response, clientDataJSON } } });
	});

	it("refuses bodies that are not WebAuthn's", async () => {
		const agent = await registerAgent();
		const body = await makePasskey(agent, new Authenticator());
		for (const change of [{ type: "password" }, { id: "a b" }, { response: {} }, { name: "" }, { name: "a\nb" }]) {
			await agent.refused("addPasskey", "INVALID_BODY", { body: { ...body, ...change } });
		}
		for (const attestationObject of ["AA", "o2NmbXRkbm9uZQ"]) {
			await agent.refused("addPasskey", "BAD_REQUEST", { body: { ...body, response: { ...body.response, attestationObject } } });
		}
	});
});

describe("signing in", () => {
	it.each(Object.entries(ATTACKS))("is refused %s, and changes nothing", async (name, how) => {
		const { authenticator } = await addPasskey(await registerAgent());
		const body = await signWith(authenticator, how);
		const before = await snapshotStorage();
		await createClient().refused("openPasskeySession", name.includes("challenge") ? "BAD_REQUEST" : "unauthorized", { body });
		expect(await snapshotStorage()).toEqual(before);
	});

	it("is refused for another site's page", async () => {
		const { authenticator } = await addPasskey(await registerAgent());
		const headers = { Origin: "https://evil.example" };
		await createClient().refused("openPasskeySession", "FORBIDDEN", { headers, body: await signWith(authenticator) });
	});

	it("uses its challenge once, also of two requests at once", async () => {
		const { authenticator } = await addPasskey(await registerAgent());
		const body = await signWith(authenticator);
		const replies = await Promise.all([1, 2, 3].map(() => createClient().send("openPasskeySession", { body })));
		expect(replies.map(({ status }) => status).toSorted()).toEqual([200, expect.toSatisfy(isRefusal), expect.toSatisfy(isRefusal)]);
		await createClient().refused("openPasskeySession", "unauthorized", { body });
	});

	it("is refused when the counter does not grow, and with two signatures of one count", async () => {
		const { authenticator } = await addPasskey(await registerAgent());
		await signInWith(authenticator);
		for (const counter of [1, 0]) {
			await createClient().refused("openPasskeySession", "unauthorized", { body: await signWith(authenticator, { counter }) });
		}
		const bodies = [await signWith(authenticator, { counter: 7 }), await signWith(authenticator, { counter: 7 })];
		const replies = await Promise.all(bodies.map((body) => createClient().send("openPasskeySession", { body })));
		expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401]);
	});

	it("takes authenticators that do not count", async () => {
		const { authenticator } = await addPasskey(await registerAgent());
		for (const _ of [1, 2]) {
			const response = await createClient().send("openPasskeySession", { body: await signWith(authenticator, { counter: 0 }) });
			expect(response.status).toBe(200);
		}
	});

	it("is rejected with an unknown credential, another person's name, another key and a challenge for adding", async () => {
		const agent = await registerAgent();
		const { authenticator } = await addPasskey(agent);
		const other = await addPasskey(await registerAgent());
		const body = await signWith(authenticator);
		const { id, rawId, response } = await signWith(other.authenticator);
		await createClient().refused("openPasskeySession", "unauthorized", { body: { ...body, id: "AAAA", rawId: "AAAA" } });
		await createClient().refused("openPasskeySession", "unauthorized", { body: { ...body, id, rawId } });
		const { userHandle } = response;
		await createClient().refused("openPasskeySession", "unauthorized", { body: { ...body, response: { ...body.response, userHandle } } });
		const { challenge } = await agent.call("createPasskeyOptions");
		await createClient().refused("openPasskeySession", "BAD_REQUEST", { body: await signWith(authenticator, { challenge }) });
		await createClient().call("openPasskeySession", { body });
	});

	it("is refused after five minutes", async () => {
		const { authenticator } = await addPasskey(await registerAgent());
		const body = await signWith(authenticator);
		const clock = manualClock();
		clock.advance(5 * MINUTE_MS + 1_000);
		const app = createApp(() => testDeps({ clock }));
		await createClient({ fetch: (request) => app.fetch(request) }).refused("openPasskeySession", "BAD_REQUEST", { body });
	});

	it("ends the session that the browser had, and keeps 20 of a passkey", async () => {
		const { authenticator } = await addPasskey(await registerAgent());
		const first = await signInWith(authenticator);
		const second = await signInWith(authenticator, first);
		await first.refused("whoAmI", "unauthorized");
		for (let index = 0; index < 20; index += 1) await signInWith(authenticator);
		await second.refused("whoAmI", "unauthorized");
	}, 30_000);
});

const isRefusal = (status: number) => status === 401 || status === 409;
