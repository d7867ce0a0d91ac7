import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runSweep } from "../../src/queues/sweeps.ts";
import { admin } from "../support/admin.ts";
import { operations } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { countSessions, revokeKeyElsewhere, setTier } from "../support/directory.ts";
import { browser, createFleet, registerWithTier, signInHuman } from "../support/identities.ts";
import { createDraft, registerAgent, taskInput } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";
import { DAY_MS } from "../support/times.ts";

const ORIGIN = "https://bounty.test";

afterEach(() => {
	vi.useRealTimers();
});

describe("sessions", () => {
	it("are credentials like keys, and say so", async () => {
		const human = await signInHuman("Ada");
		expect(await human.call("whoAmI")).toMatchObject({ agent_id: human.agentId, auth_method: "session", tier: "verified", name: "Ada" });
		await createDraft(human);
		expect((await human.call("whoAmI")).role).toBe("company");
	});

	it("make keys that are verified and work without the session", async () => {
		const human = await signInHuman();
		const { api_key, id } = await human.call("createApiKey");
		expect((await human.call("listApiKeys")).data).toMatchObject([{ id }]);
		await human.call("signOut");
		await human.refused("whoAmI", "unauthorized");
		const byKey = createClient({ key: api_key });
		expect(await byKey.call("whoAmI")).toMatchObject({ agent_id: human.agentId, tier: "verified", auth_method: "api_key" });
		await byKey.call("createOperatorToken");
	});

	it("are refused if malformed, unknown or sent with another credential", async () => {
		const human = await signInHuman();
		for (const cookie of ["", "x", `svc_ses_${"0".repeat(64)}`, human.token.toUpperCase(), `${human.token}0`]) {
			await browser({ Cookie: `__Host-session=${cookie}` }).refused("whoAmI", "unauthorized");
		}
		await browser({ Cookie: `session=${human.token}` }).refused("whoAmI", "unauthorized");
		await browser({ Authorization: `Bearer ${human.token}` }).refused("whoAmI", "unauthorized");
		await human.with({ Authorization: `Bearer svc_sk_${"0".repeat(64)}` }).refused("whoAmI", "unauthorized");
	});

	it("end after thirty days, even if they are used, and are then swept", async () => {
		const human = await signInHuman();
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30 * DAY_MS - 60_000 });
		await human.call("whoAmI");
		await runSweep(testDeps(), "forget");
		await human.call("whoAmI");
		vi.setSystemTime(Date.now() + 61_000);
		await human.refused("whoAmI", "unauthorized");
		await runSweep(testDeps(), "forget");
		expect(await countSessions(human.userId)).toBe(0);
	});
});

describe("cross-site requests", () => {
	it("write nothing without the session's own CSRF token", async () => {
		const [human, other] = [await signInHuman(), await signInHuman()];
		const { csrf_token } = await other.call("getSession");
		const before = await snapshotStorage();
		for (const token of [null, "", "x", csrf_token, "0".repeat(64)]) {
			await human.with({ "X-CSRF-Token": token }).refused("createTask", "FORBIDDEN", { body: taskInput() });
		}
		expect(await snapshotStorage()).toEqual(before);
	});

	it("have no session at all", async () => {
		const human = await signInHuman();
		const crossSite = [
			{ Origin: "https://evil.test" },
			{ Origin: "null" },
			{ Origin: `${ORIGIN}.evil.test` },
			{ "Sec-Fetch-Site": "cross-site" },
			{ "Sec-Fetch-Site": "same-site" },
			{ "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" },
			{ "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
		];
		for (const headers of crossSite) {
			await human.with(headers).refused("getSession", "unauthorized");
			// A platform in development refuses every change from a foreign page, before it looks for a session.
			const refusal = "Origin" in headers ? "FORBIDDEN" : "unauthorized";
			await human.with(headers).refused("createTask", refusal, { body: taskInput() });
		}
		const form = {
			Origin: "https://evil.test",
			"Sec-Fetch-Site": "cross-site",
			"Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "document",
		};
		await human.with(form).refused("createTask", "FORBIDDEN", { body: taskInput() });
	});

	it("may be links to a page, and requests of the origin itself are served", async () => {
		const human = await signInHuman();
		await human.with({ "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" }).call("getSession");
		await human.with({ Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" }).call("createTask", { body: taskInput() });
	});
});

/** Opens a session with an agent's key, and returns the browser that has it. */
async function exchange(agent: Client) {
	const response = await agent.send("openSession");
	const setCookie = response.headers.get("Set-Cookie") ?? "";
	const cookie = setCookie.split(";")[0] ?? "";
	const { csrf_token } = operations.openSession.response.schema.parse(await response.json());
	return { ...browser({ Cookie: cookie, "X-CSRF-Token": csrf_token }), cookie, setCookie, read: browser({ Cookie: cookie }) };
}

describe("a key's session", () => {
	it("acts as the key's agent in a cookie that no script reads, while the key stays usable", async () => {
		const agent = await registerAgent("Ada");
		const session = await exchange(agent);
		expect(session.setCookie).toMatch(/^__Host-session=svc_ses_[0-9a-f]{64}; .*HttpOnly; Secure; SameSite=Lax$/);
		expect(await session.call("whoAmI")).toMatchObject({ agent_id: agent.agentId, tier: "anonymous", auth_method: "session" });
		expect(await session.call("getSession")).toMatchObject({ agent_id: agent.agentId, name: "Ada" });
		await createDraft(session);
		expect((await agent.call("whoAmI")).role).toBe("company");
	});

	it("writes only with its own CSRF token, and only for pages of this origin", async () => {
		const [session, other] = [await exchange(await registerAgent()), await exchange(await registerAgent())];
		const { csrf_token } = await other.call("getSession");
		await session.read.refused("createTask", "FORBIDDEN", { body: taskInput() });
		await browser({ Cookie: session.cookie, "X-CSRF-Token": csrf_token }).refused("createTask", "FORBIDDEN", { body: taskInput() });
		await browser({ Cookie: session.cookie, "Sec-Fetch-Site": "cross-site" }).refused("whoAmI", "unauthorized");
	});

	it("is opened with the key itself, by a page of this origin or a program", async () => {
		const agent = await registerAgent();
		const authorization = { Authorization: `Bearer ${agent.key}` };
		for (const foreign of [{ Origin: "https://evil.test" }, { "Sec-Fetch-Site": "cross-site" }])
			await browser({ ...authorization, ...foreign }).refused("openSession", "FORBIDDEN");
		await browser({ ...authorization, Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" }).call("openSession");
		await (await exchange(agent)).refused("openSession", "FORBIDDEN");
		await (await signInHuman()).refused("openSession", "FORBIDDEN");
	});

	it("ends at once with its key, with a sign-out, and with the next session of the browser", async () => {
		const agent = await registerAgent();
		const [first, second] = [await exchange(agent), await exchange(agent)];
		await first.call("signOut");
		await first.read.refused("whoAmI", "unauthorized");
		await second.read.call("whoAmI");
		await browser({ Authorization: `Bearer ${agent.key}`, Cookie: second.cookie }).call("openSession");
		await second.read.refused("whoAmI", "unauthorized");

		const { api_key, id } = await agent.call("createApiKey");
		const third = await exchange(createClient({ key: api_key }));
		await agent.call("revokeApiKey", { query: { id } });
		await third.read.refused("whoAmI", "unauthorized");
		await agent.call("whoAmI");
	});

	it("ends with its operator token", async () => {
		const fleet = await createFleet();
		const child = await exchange(await fleet.mint());
		await fleet.operator.call("revokeOperatorToken", { params: { id: fleet.tokenId } });
		await child.read.refused("whoAmI", "unauthorized");
	});

	it("gives no access to the human behind its agent", async () => {
		const human = await signInHuman();
		const [{ operator }, { api_key }] = [await createFleet(), await human.call("createApiKey")];
		await setTier(operator.agentId, "anonymous");
		await human.call("claimAgent", { body: { api_key: operator.key } });
		expect((await human.call("listOperatorTokens")).tokens).toHaveLength(1);
		const session = await exchange(createClient({ key: api_key }));
		expect((await session.call("listOperatorTokens")).tokens).toEqual([]);
		const anonymous = await registerAgent();
		await session.refused("claimAgent", "FORBIDDEN", { body: { api_key: anonymous.key } });
	});

	it("is one of at most twenty for a key, also when opened in parallel", async () => {
		const agent = await registerAgent();
		const first = await exchange(agent);
		const others = await Promise.all(Array.from({ length: 24 }, () => exchange(agent)));
		await first.read.refused("whoAmI", "unauthorized");
		const alive = await Promise.all(others.map(async ({ read }) => (await read.send("whoAmI")).status));
		expect(alive.filter((status) => status === 200)).toHaveLength(20);
	});

	it("is not opened by a key that is revoked in parallel", async () => {
		const agent = await registerAgent();
		const { api_key, id } = await agent.call("createApiKey");
		const client = createClient({ key: api_key });
		const [opened] = await Promise.all([client.send("openSession"), agent.call("revokeApiKey", { query: { id } })]);
		const cookie = opened.headers.get("Set-Cookie")?.split(";")[0];
		if (cookie !== undefined) await browser({ Cookie: cookie }).refused("whoAmI", "unauthorized");
		await client.refused("openSession", "unauthorized");
	});
});

describe("a session of an agent that an operator", () => {
	const reason = { body: { reason: "A test." } };
	const readers = async () => {
		const [human, agent] = [await signInHuman(), await registerAgent()];
		return [
			{ agentId: human.agentId, client: human },
			{ agentId: agent.agentId, client: (await exchange(agent)).read },
		];
	};

	it("suspends is refused until the agent is restored", async () => {
		for (const { agentId, client } of await readers()) {
			const at = { params: { id: agentId } };
			await admin.call("suspendAgent", { ...at, ...reason });
			for (const operation of ["whoAmI", "getSession"] as const) await client.refused(operation, "FORBIDDEN");
			await admin.call("restoreAgent", { ...at, ...reason });
			await client.call("whoAmI");
		}
	});

	it("erases has ended", async () => {
		for (const { agentId, client } of await readers()) {
			await admin.call("eraseAgent", { params: { id: agentId }, ...reason });
			for (const operation of ["whoAmI", "getSession"] as const) await client.refused(operation, "unauthorized");
		}
	});
});

describe("claiming", () => {
	it("makes an anonymous agent and its keys verified at once", async () => {
		const [human, agent] = [await signInHuman(), await registerAgent("Scout")];
		await agent.refused("createOperatorToken", "TIER_FORBIDDEN");
		expect(await human.call("claimAgent", { body: { api_key: agent.key } })).toEqual({
			agent_id: agent.agentId,
			display_name: "Scout",
			tier: "verified",
			revoked_keys: 0,
		});
		expect(await agent.call("whoAmI")).toMatchObject({ agent_id: agent.agentId, tier: "verified" });
		await agent.call("createOperatorToken");
		expect((await human.call("whoAmI")).agent_id).toBe(human.agentId);
	});

	it("revokes every key but the one sent, and says how many", async () => {
		const [human, agent] = [await signInHuman(), await registerAgent()];
		const hidden = await Promise.all([agent.call("createApiKey"), agent.call("createApiKey")]);
		const gone = await agent.call("createApiKey");
		await agent.call("revokeApiKey", { query: { id: gone.id } });
		const clients = hidden.map(({ api_key }) => createClient({ key: api_key }));
		for (const client of clients) await client.call("whoAmI");
		expect((await human.call("claimAgent", { body: { api_key: agent.key } })).revoked_keys).toBe(2);
		for (const client of clients) await client.refused("whoAmI", "unauthorized");
		expect((await agent.call("listApiKeys")).data).toHaveLength(1);
	});

	it("revokes a hidden key that is used in parallel, or that another isolate still remembers", async () => {
		const [human, agent] = [await signInHuman(), await registerAgent()];
		const { api_key, id } = await agent.call("createApiKey");
		const hidden = createClient({ key: api_key });
		await Promise.all([
			human.call("claimAgent", { body: { api_key: agent.key } }),
			...Array.from({ length: 5 }, () => hidden.send("createApiKey")),
		]);
		expect((await agent.call("listApiKeys")).data).toHaveLength(1);

		const other = await registerWithTier("verified");
		const stale = await other.call("createApiKey");
		const remembered = createClient({ key: stale.api_key });
		await remembered.call("whoAmI");
		for (const keyId of [stale.id, id]) await revokeKeyElsewhere(keyId);
		await remembered.call("whoAmI");
		await remembered.refused("createApiKey", "unauthorized");
		await remembered.refused("createOperatorToken", "unauthorized");
	});

	it("gives the human's sessions access to what the agent made before", async () => {
		const [human, { operator, tokenId }] = [await signInHuman(), await createFleet()];
		await setTier(operator.agentId, "anonymous");
		await human.call("claimAgent", { body: { api_key: operator.key } });
		expect((await human.call("listOperatorTokens")).tokens).toMatchObject([{ id: tokenId }]);
		expect((await operator.call("listOperatorTokens")).tokens).toMatchObject([{ id: tokenId }]);
	});

	it("succeeds for one of many parallel attempts", async () => {
		const agent = await registerAgent();
		const humans = await Promise.all(Array.from({ length: 5 }, () => signInHuman()));
		const answers = await Promise.all(humans.map((human) => human.send("claimAgent", { body: { api_key: agent.key } })));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
	});

	it("needs a working key of an agent without an owner", async () => {
		const human = await signInHuman();
		for (const api_key of ["x", `svc_sk_${"0".repeat(64)}`]) await human.refused("claimAgent", "NOT_FOUND", { body: { api_key } });
		const child = await (await createFleet()).mint();
		const others = [child, await registerWithTier("verified"), await registerWithTier("staked"), await registerWithTier("dev")];
		for (const { key } of others) await human.refused("claimAgent", "CONFLICT", { body: { api_key: key } });
		await human.refused("claimAgent", "INVALID_BODY", { body: {} });
		await human.with({ "X-CSRF-Token": null }).refused("claimAgent", "FORBIDDEN", { body: { api_key: child.key } });
	});
});

describe("a deployment without sign-in", () => {
	it("says so", async () => {
		const nobody = createClient();
		expect((await nobody.call("listSignInProviders")).providers.filter(({ sign_in_url }) => sign_in_url !== undefined)).toEqual([]);
		for (const provider of ["github", "oidc", "x"]) {
			const { message } = await nobody.refused("startSignIn", "NOT_FOUND", { params: { provider } });
			expect(message).toContain("not configured");
			await nobody.refused("finishSignIn", "NOT_FOUND", { params: { provider } });
		}
	});

	it("still fails to start with half a configuration", async () => {
		const { parseConfig } = await import("../../src/config/env.ts");
		const halves = [
			{ SIGN_IN_OIDC_ISSUER: "https://a.test" },
			{ SIGN_IN_OIDC_CLIENT_ID: "a" },
			{ SIGN_IN_GITHUB_CLIENT_ID: "a" },
			{ SIGN_IN_GITHUB_CLIENT_SECRET: "a" },
		];
		for (const half of halves) expect(() => parseConfig({ ...env, ...half })).toThrow(/SIGN_IN_/);
	});
});

it("says that a sign-in service cannot be reached", async () => {
	const { createApp } = await import("../../src/app.ts");
	const real = testDeps();
	const signIn = { github: null, oidc: { clientId: "a", clientSecret: null, issuer: "https://issuer.test", name: "Test" } };
	const fetch = () => Promise.reject(new TypeError("no route"));
	const app = createApp(() => testDeps({ config: { ...real.config, signIn }, fetch }));
	const client = createClient({ fetch: (request) => app.fetch(request) });
	const { message } = await client.refused("startSignIn", "SERVICE_BUSY", { params: { provider: "oidc" } });
	expect(message).toContain("sign-in service");
	const response = await client.send("startSignIn", { params: { provider: "oidc" } });
	expect(response.status).toBe(503);
	expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
	await client.refused("finishSignIn", "BAD_REQUEST", { params: { provider: "oidc" } });
});
