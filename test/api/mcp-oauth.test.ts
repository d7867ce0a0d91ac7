// Tests OAuth access tokens, which only the MCP server accepts.
import { env } from "cloudflare:workers";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Config } from "../../src/config/env.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { configWith, manualClock, testDeps } from "../support/deps.ts";
import { countHumans } from "../support/directory.ts";
import { signInHuman } from "../support/identities.ts";
import { call, failure, type McpOptions, send, textOf } from "../support/mcp.ts";
import { GOOD_FILES, openTask, registerAgent, taskInput } from "../support/scenario.ts";
import { MINUTE_MS } from "../support/times.ts";
import { createTokenIssuer, type TokenIssuer } from "../support/token-issuer.ts";

const RESOURCE = "https://bounty.test/mcp";
const METADATA_URL = "https://bounty.test/.well-known/oauth-protected-resource/mcp";

afterEach(() => {
	vi.useRealTimers();
});

/** Returns a deployment that accepts the tokens of an issuer. */
function deploy(issuer: TokenIssuer, change: Partial<Deps> = {}, tokens: Partial<NonNullable<Config["mcpTokens"]>> = {}) {
	const log: string[] = [];
	const fetch = async (request: Request) => {
		const real = testDeps();
		const write = (event: string) => void log.push(event);
		const deps = testDeps({
			config: { ...real.config, mcpTokens: { issuer: issuer.url, scope: null, acceptsClients: false, ...tokens } },
			fetch: issuer.fetch,
			log: { info: () => {}, error: write },
			...change,
		});
		const response = await createApp(() => deps).fetch(request);
		await deps.settled();
		return response;
	};
	const as = (key: string | null): McpOptions => ({ key, fetch });
	return { as, log, client: (key: string | null = null) => createClient({ key, fetch }) };
}

const seconds = () => Math.floor(Date.now() / 1000);

/** Returns the claims that RFC 9068 requires of a token, with the test's change. */
function claims(issuer: TokenIssuer, change: JWTPayload = {}) {
	const jti = crypto.randomUUID();
	const own = { iss: issuer.url, aud: RESOURCE, sub: "ada", client_id: "an-mcp-client", jti, iat: seconds(), exp: seconds() + 300 };
	return { ...own, ...change };
}

/** This issuer is the one that `signInHuman` names. */
const issuer = await createTokenIssuer("https://issuer.test");
const platform = deploy(issuer);
const tokenOf = (subject: string) => issuer.sign(claims(issuer, { sub: subject }));

async function expectUnauthorized(options: McpOptions, what = "a credential") {
	const response = await send("tools/list", {}, options);
	const body = await response.json();
	expect({ what, status: response.status, body }).toMatchObject({ what, status: 401, body: { error: { code: "unauthorized" } } });
	expect(response.headers.get("WWW-Authenticate")).toBe(`Bearer realm="bounty-platform", resource_metadata="${METADATA_URL}"`);
}

describe("an access token", () => {
	it("acts for the agent of the human who signs in with the same account", async () => {
		const human = await signInHuman();
		const options = platform.as(await tokenOf(human.userId));
		const task_id = await textOf("task_id", "post_task", taskInput(), options);
		const own = await human.call("listTasks", { query: { owner: "me" } });
		expect(own.data.map(({ id }) => id)).toEqual([task_id]);
		expect(await call("read_task", { task_id }, options)).toMatchObject({ status: "draft" });
	});

	it("leads from a task to a score", async () => {
		const task_id = await openTask(await registerAgent());
		const options = platform.as(await tokenOf(crypto.randomUUID()));
		const submission_id = await textOf("submission_id", "submit_files", { task_id, files: GOOD_FILES }, options);
		expect(await call("wait_for_score", { submission_id, timeout_seconds: 30 }, options)).toMatchObject({
			done: true,
			status: "completed",
		});
		expect(await call("leaderboard", { task_id }, options)).toMatchObject({ me: { rank: 1 } });
	});

	it("creates a new human once, verified and with a name, for any number of parallel requests", async () => {
		const subject = crypto.randomUUID();
		const token = await issuer.sign(claims(issuer, { sub: subject, name: "Grace Hopper" }));
		const keys = ["a", "b", "c", "d", "e"];
		await Promise.all(keys.map((key) => call("notes", { action: "put", key, value: 1 }, platform.as(token))));
		expect(await call("notes", { action: "list" }, platform.as(token))).toMatchObject({ notes: keys.map((key) => ({ key })) });
		const rows = await env.DB.prepare(
			"select display_name, tier from agents join users on users.agent_id = agents.id where subject = ? and agents.user_id = users.id",
		)
			.bind(subject)
			.all();
		expect(rows.results).toEqual([{ display_name: "Grace Hopper", tier: "verified" }]);
	});

	it("is refused by every other endpoint, also next to the MCP server's requests to them", async () => {
		const token = await tokenOf(crypto.randomUUID());
		expect(await call("my_submissions", {}, platform.as(token))).toMatchObject({ submissions: [] });
		const client = platform.client(token);
		for (const operation of ["whoAmI", "listTasks"] as const) {
			const { headers } = await client.refused(operation, "unauthorized");
			expect(headers.get("WWW-Authenticate")).toBe('Bearer realm="bounty-platform"');
		}
	});

	it("of a suspended agent is rejected with 403", async () => {
		const human = await signInHuman();
		const options = platform.as(await tokenOf(human.userId));
		expect((await send("tools/list", {}, options)).status).toBe(200);
		await admin.call("suspendAgent", { params: { id: human.agentId }, body: { reason: "It breaks the rules." } });
		const response = await send("tools/list", {}, options);
		expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
	});

	it("of an agent that is suspended ends its waiting call within 30 seconds", async () => {
		const human = await signInHuman();
		const id = await openTask(await registerAgent());
		const { id: submission_id } = await human.call("createSubmission", { params: { id } });
		const clock = manualClock();
		const { as } = deploy(issuer, { clock });
		const text = failure("wait_for_score", { submission_id, timeout_seconds: 240 }, as(await tokenOf(human.userId)));
		await vi.waitFor(() => expect(clock.waiting()).toBeGreaterThan(2));
		await admin.call("suspendAgent", { params: { id: human.agentId }, body: { reason: "It breaks the rules." } });
		for (let checks = 0; checks < 2; checks += 1) {
			clock.advance(15_000);
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		expect(await text).toMatch(/^FORBIDDEN: /);
	});

	it("is refused in a deployment without OAuth", async () => {
		const response = await send("tools/list", {}, { key: await tokenOf("ada") });
		expect({ status: response.status, challenge: response.headers.get("WWW-Authenticate") }).toEqual({
			status: 401,
			challenge: 'Bearer realm="bounty-platform"',
		});
	});
});

describe("a token that proves nothing", async () => {
	const subject = crypto.randomUUID();
	const target = await createTokenIssuer("https://attacked.test");
	const attacked = deploy(target);
	const { privateKey: foreign, publicKey } = await generateKeyPair("ES256", { extractable: true });
	const jwk = await exportJWK(publicKey);
	const own = (change: JWTPayload = {}) => claims(target, { sub: subject, ...change });
	const forge = (header: object, payload = own()) =>
		new SignJWT(payload).setProtectedHeader({ alg: "ES256", typ: "at+jwt", ...header }).sign(foreign);
	const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
	const publicSecret = new TextEncoder().encode(target.publicKey);
	const TOKENS: Readonly<Record<string, () => string | Promise<string>>> = {
		"for another audience": () => target.sign(own({ aud: "https://other.test/mcp" })),
		"for the origin instead of the server": () => target.sign(own({ aud: "https://bounty.test" })),
		"for the sign-in's client": () => target.sign(own({ aud: "bounty-platform" })),
		"of another issuer": () => target.sign(own({ iss: "https://evil.test" })),
		"that has expired": () => target.sign(own({ exp: seconds() - 120 })),
		"that is not valid yet": () => target.sign(own({ nbf: seconds() + 3600 })),
		"without an end": () => {
			const { exp: _, ...endless } = own();
			return target.sign(endless);
		},
		"without a subject": () => {
			const { sub: _, ...nobodys } = own();
			return target.sign(nobodys);
		},
		"of a program instead of a human": () => target.sign(own({ client_id: subject })),
		"of a program, as Auth0 names it": () => target.sign(own({ client_id: "c1", sub: "c1@clients" })),
		"of a program, by its grant": () => target.sign(own({ gty: "client-credentials" })),
		"that was issued in the future": () => target.sign(own({ iat: seconds() + 3600, exp: seconds() + 7200 })),
		"bound to a key that is not shown": () => target.sign(own({ cnf: { jkt: "A".repeat(43) } })),
		"that is an ID token": () => target.sign(own(), { typ: "JWT" }),
		"signed by another key": () => forge({ kid: "current" }),
		"with a key that the issuer does not have": () => forge({ kid: "evil" }),
		"that brings its own key": () => forge({ kid: "current", jwk, jku: "https://evil.test/keys" }),
		"without a signature": () => new UnsecuredJWT(own()).encode(),
		"with the algorithm none and any signature": () => `${part({ alg: "none", typ: "at+jwt" })}.${part(own())}.AAAA`,
		"signed with the public key as a secret": () =>
			new SignJWT(own()).setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: "current" }).sign(publicSecret),
		"with a changed subject": async () => {
			const [, changed] = (await target.sign(own({ sub: crypto.randomUUID() }))).split(".");
			return (await target.sign(own())).replace(/\..*\./, `.${changed}.`);
		},
		"that is too long": () => target.sign(own({ padding: "a".repeat(8192) })),
		"that is not JSON": () => "AAAA.AAAA.AAAA",
		"that is almost base64": () => "A.A.A",
	};

	it("is 401, creates no human, and causes at most two requests to the issuer, for any fault", async () => {
		for (const [name, make] of Object.entries(TOKENS)) await expectUnauthorized(attacked.as(await make()), `a token ${name}`);
		expect(await countHumans(target.url)).toBe(0);
		expect(target.requests).toEqual([`${target.url}/.well-known/openid-configuration`, `${target.url}/keys`]);
		expect((await send("tools/list", {}, attacked.as(await target.sign(own())))).status).toBe(200);
		expect(await countHumans(target.url, subject)).toBe(1);
	});

	it("with an unknown key causes no flood of requests to the issuer, and valid tokens still work", async () => {
		const other = await createTokenIssuer("https://flooded.test");
		const flooded = deploy(other);
		const good = await other.sign(claims(other));
		expect((await send("tools/list", {}, flooded.as(good))).status).toBe(200);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * MINUTE_MS });
		const bad = await forge({ kid: "evil" }, claims(other));
		const flood = Array.from({ length: 30 }, (_, index) => send("tools/list", {}, flooded.as(index % 3 === 0 ? good : bad)));
		const statuses = (await Promise.all(flood)).map(({ status }) => status);
		expect(statuses).toEqual(statuses.map((_, index) => (index % 3 === 0 ? 200 : 401)));
		expect(other.requests).toHaveLength(3);
	});
});

describe("an issuer that cannot be reached", () => {
	const FAULTS: Readonly<Record<string, () => Promise<Response>>> = {
		"refuses connections": () => Promise.reject(new Error("connect ECONNREFUSED")),
		"is down": async () => new Response("down", { status: 500 }),
		"sends a page": async () => new Response("<html></html>"),
		redirects: async () => Response.redirect("https://evil.test/", 302),
		"is another one": async () => Response.json({ issuer: "https://evil.test", jwks_uri: "https://evil.test/keys" }),
		"names no keys": async () => Response.json({ issuer: "https://names-no-keys.test" }),
	};

	it.each(Object.keys(FAULTS))("is 503 with Retry-After when it %s, and gets few requests", async (name) => {
		const other = await createTokenIssuer(`https://${name.replaceAll(" ", "-")}.test`);
		const target = deploy(other);
		const token = await other.sign(claims(other));
		other.fault = FAULTS[name] ?? null;
		const responses = await Promise.all(Array.from({ length: 15 }, () => send("tools/list", {}, target.as(token))));
		for (const response of responses) {
			const body = await response.json();
			expect({ status: response.status, body, retryAfter: response.headers.get("Retry-After") }).toMatchObject({
				status: 503,
				body: { error: { code: "SERVICE_BUSY", message: expect.stringContaining("API key") } },
				retryAfter: expect.stringMatching(/^(?:[345]\d|60)$/),
			});
		}
		expect(other.requests.length).toBeLessThanOrEqual(10);
		expect(target.log).toContain("issuer_unavailable");
		const agent = await registerAgent();
		expect((await send("tools/list", {}, target.as(agent.key))).status).toBe(200);
	});

	it("keeps its known keys for an hour, and no longer", async () => {
		const other = await createTokenIssuer("https://away.test");
		const target = deploy(other);
		const token = await other.sign(claims(other, { exp: seconds() + 7200 }));
		expect((await send("tools/list", {}, target.as(token))).status).toBe(200);
		other.fault = async () => new Response("down", { status: 500 });
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 50 * MINUTE_MS });
		expect((await send("tools/list", {}, target.as(token))).status).toBe(200);
		vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
		expect((await send("tools/list", {}, target.as(token))).status).toBe(503);
		other.fault = null;
		vi.setSystemTime(Date.now() + MINUTE_MS);
		expect((await send("tools/list", {}, target.as(token))).status).toBe(200);
	});
});

describe("a key that the issuer has removed", () => {
	it("is accepted for ten minutes at most", async () => {
		const other = await createTokenIssuer("https://rotated.test");
		const target = deploy(other);
		const token = await other.sign(claims(other, { exp: seconds() + 7200 }));
		expect((await send("tools/list", {}, target.as(token))).status).toBe(200);
		other.fault = async () => Response.json({ keys: [] });
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * MINUTE_MS });
		await expectUnauthorized(target.as(token));
	});
});

describe("a client without a token", () => {
	it("learns how to sign in if the deployment has OAuth", async () => {
		expect(await platform.client().call("getMcpResourceMetadata")).toEqual({
			resource: RESOURCE,
			resource_name: "Bounty Platform",
			authorization_servers: [issuer.url],
			bearer_methods_supported: ["header"],
			resource_documentation: "https://bounty.test/docs/guides/mcp",
		});
		await createClient().refused("getMcpResourceMetadata", "NOT_FOUND");
	});

	it("lists and reads as before, and a tool that needs a key says how to register", async () => {
		expect((await send("tools/list", {}, platform.as(null))).status).toBe(200);
		const response = await send("tools/call", { name: "my_submissions" }, platform.as(null));
		expect({ status: response.status, text: await response.text() }).toEqual({
			status: 401,
			text: expect.stringMatching(/unauthorized: .*call register once/),
		});
	});

	it("is asked to sign in with a wrong key, and if its URL says so", async () => {
		await expectUnauthorized(platform.as(`svc_sk_${"0".repeat(64)}`));
		const asked = await platform.client().send("callMcp", {
			query: { sign_in: "required" },
			body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
		});
		expect(asked.headers.get("WWW-Authenticate")).toContain(`resource_metadata="${METADATA_URL}"`);
		const agent = await registerAgent();
		const input = { query: { sign_in: "required" }, body: { jsonrpc: "2.0", id: 1, method: "tools/list" } };
		expect((await platform.client(agent.key).send("callMcp", input)).status).toBe(200);
	});
});

describe("a scope that the deployment requires", () => {
	const scoped = deploy(issuer, {}, { scope: "bounties" });
	const tokenWith = async (scope: string) => scoped.as(await issuer.sign(claims(issuer, { scope })));

	it("must be one of the token's scopes", async () => {
		for (const scope of ["", "bounties-of-others", "openid profile"]) {
			const response = await send("tools/list", {}, await tokenWith(scope));
			expect({ scope, status: response.status }).toEqual({ scope, status: 401 });
			expect(response.headers.get("WWW-Authenticate")).toContain('scope="bounties"');
		}
		expect((await send("tools/list", {}, await tokenWith("openid bounties"))).status).toBe(200);
		expect((await scoped.client().call("getMcpResourceMetadata")).scopes_supported).toEqual(["bounties"]);
	});
});

it("accepts programs that signed in as themselves if the deployment allows it", async () => {
	const open = deploy(issuer, {}, { acceptsClients: true });
	const token = await issuer.sign(claims(issuer, { sub: "c1@clients", client_id: "c1" }));
	expect((await send("tools/list", {}, open.as(token))).status).toBe(200);
});

describe("the configuration", () => {
	it("needs an issuer, with https in production", () => {
		const on = { MCP_OAUTH: "true" };
		const oidc = { SIGN_IN_OIDC_ISSUER: "http://a.test", SIGN_IN_OIDC_CLIENT_ID: "a" };
		const production = { ENVIRONMENT: "production" };
		expect(() => configWith({ ...on })).toThrow(/MCP_OAUTH/);
		expect(() => configWith({ ...production, ...oidc, ...on })).toThrow(/MCP_OAUTH/);
		expect(configWith({ ...oidc, ...on }).mcpTokens).toEqual({ issuer: "http://a.test", scope: null, acceptsClients: false });
		const all = { MCP_OAUTH: "clients-too", MCP_OAUTH_SCOPE: "bounties" };
		expect(configWith({ ...oidc, ...all }).mcpTokens).toEqual({
			issuer: "http://a.test",
			scope: "bounties",
			acceptsClients: true,
		});
		expect(configWith({ ...oidc }).mcpTokens).toBeNull();
	});
});
