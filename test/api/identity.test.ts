import { describe, expect, it } from "vitest";
import { createClient } from "../support/client.ts";
import { readStoredKey } from "../support/directory.ts";
import { createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";

const nobody = createClient();

describe("registration", () => {
	it("needs no body and returns a key that works immediately", async () => {
		const result = await nobody.call("registerAnonymous");
		expect(result).toMatchObject({ tier: "anonymous", is_floor_qualified: true, display_name: expect.stringMatching(/^anonymous-agent-/) });
		expect(result.next_steps.length).toBeGreaterThan(0);
		const me = await createClient({ key: result.api_key }).call("whoAmI");
		expect(me).toEqual({
			agent_id: result.agent_id,
			name: result.display_name,
			role: null,
			tier: "anonymous",
			operator_token_id: null,
			auth_method: "api_key",
			is_floor_qualified: true,
			wallet: { payout_method: null, payout_address: null, payout_chain: null, wallet_verified_at: null },
			onboarded: false,
		});
	});

	it("accepts names of 1 to 60 and hints of up to 500 characters, counted in code points", async () => {
		const longest = "🦊".repeat(60);
		expect(await nobody.call("registerAnonymous", { body: { display_name: longest, user_agent_hint: "h".repeat(500) } })).toMatchObject({
			display_name: longest,
		});
		for (const body of [
			{ display_name: "" },
			{ display_name: "x".repeat(61) },
			{ display_name: 7 },
			{ user_agent_hint: "h".repeat(501) },
		]) {
			await nobody.refused("registerAnonymous", "INVALID_BODY", { body });
		}
	});

	it("names the field that is wrong", async () => {
		const { details, message } = await nobody.refused("registerAnonymous", "INVALID_BODY", { body: { display_name: "" } });
		expect(details).toEqual([{ path: "display_name", message: "display_name must have 1 to 60 characters" }]);
		expect(message).toBe("display_name must have 1 to 60 characters");
	});

	it("stores only the hash of a key", async () => {
		const { api_key, agent_id } = await nobody.call("registerAnonymous");
		const row = await readStoredKey(agent_id);
		const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(api_key));
		expect(row).toMatchObject({ hash: new Uint8Array(digest).toHex(), prefix: api_key.slice(0, 16) });
		expect(JSON.stringify(row)).not.toContain(api_key);
	});

	it("gives every identity its own ids and keys, also in parallel", async () => {
		const all = await Promise.all(Array.from({ length: 20 }, () => nobody.call("registerAnonymous")));
		expect(new Set(all.map(({ agent_id }) => agent_id)).size).toBe(20);
		expect(new Set(all.map(({ api_key }) => api_key)).size).toBe(20);
	});
});

describe("roles", () => {
	it("are added with the first submission and the first task, and company remains", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		expect(await poster.call("whoAmI")).toMatchObject({ role: "company", onboarded: true });
		await submit(agent, taskId);
		expect(await agent.call("whoAmI")).toMatchObject({ role: "agent_builder", onboarded: true });
		await createDraft(agent);
		await submit(agent, taskId);
		expect(await agent.call("whoAmI")).toMatchObject({ role: "company" });
	});
});

describe("keys", () => {
	it("are listed newest first by their prefix, and shown in full once", async () => {
		const agent = await registerAgent();
		const made = await agent.call("createApiKey", { body: { name: "laptop" } });
		expect(made).toMatchObject({ name: "laptop", prefix: made.api_key.slice(0, 16), last_used_at: null });
		const { data } = await agent.call("listApiKeys");
		expect(data.map(({ id, name }) => ({ id, name }))).toEqual([
			{ id: made.id, name: "laptop" },
			{ id: data[1]?.id, name: "first key" },
		]);
		expect(JSON.stringify(data)).not.toContain(made.api_key);
		expect(await createClient({ key: made.api_key }).call("whoAmI")).toMatchObject({ agent_id: agent.agentId });
	});

	it("can be made without a body, with a null name, and with names of 1 to 100 characters", async () => {
		const agent = await registerAgent();
		expect((await agent.call("createApiKey")).name).toBeNull();
		expect((await agent.call("createApiKey", { body: { name: null } })).name).toBeNull();
		expect((await agent.call("createApiKey", { body: { name: "n".repeat(100) } })).name).toHaveLength(100);
		await agent.refused("createApiKey", "INVALID_BODY", { body: { name: "" } });
		await agent.refused("createApiKey", "INVALID_BODY", { body: { name: "n".repeat(101) } });
	});

	it("stop working as soon as they are revoked, also the key that revokes itself", async () => {
		const agent = await registerAgent();
		const second = await agent.call("createApiKey");
		const other = createClient({ key: second.api_key });
		await other.call("whoAmI");
		expect(await agent.call("revokeApiKey", { query: { id: second.id } })).toEqual({ id: second.id, revoked: true, ended_webhooks: [] });
		await other.refused("whoAmI", "unauthorized");
		const [first] = (await agent.call("listApiKeys")).data;
		await agent.call("revokeApiKey", { query: { id: first?.id ?? "" } });
		await agent.refused("listApiKeys", "unauthorized");
		await agent.refused("createApiKey", "unauthorized");
	});

	it("can be revoked once, and only by their own agent", async () => {
		const [agent, stranger] = [await registerAgent(), await registerAgent()];
		const { id } = await agent.call("createApiKey");
		await stranger.refused("revokeApiKey", "NOT_FOUND", { query: { id } });
		await agent.call("revokeApiKey", { query: { id: id.toUpperCase() } });
		await agent.refused("revokeApiKey", "NOT_FOUND", { query: { id } });
		await agent.refused("revokeApiKey", "VALIDATION_ERROR");
		await agent.refused("revokeApiKey", "VALIDATION_ERROR", { query: { id: "key" } });
	});

	it("are limited to 50, also when created in parallel", async () => {
		const agent = await registerAgent();
		for (let made = 1; made < 46; made += 15) await Promise.all(Array.from({ length: 15 }, () => agent.call("createApiKey")));
		const answers = await Promise.all(Array.from({ length: 12 }, () => agent.send("createApiKey")));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
		expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
		await agent.refused("createApiKey", "CONFLICT");
		const { data } = await agent.call("listApiKeys");
		expect(data).toHaveLength(50);
		await agent.call("revokeApiKey", { query: { id: data[0]?.id ?? "" } });
		await agent.call("createApiKey");
	});

	it("give one of two parallel revocations 200 and the other 404", async () => {
		const agent = await registerAgent();
		const { id } = await agent.call("createApiKey");
		const answers = await Promise.all([1, 2].map(() => agent.send("revokeApiKey", { query: { id } })));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
	});
});
