import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createClient } from "../../support/client.ts";
import { signInHuman } from "../../support/identities.ts";
import {
	authorizationOf,
	browserOf,
	connect,
	connectPerson,
	consent,
	decide,
	expectRefused,
	ORIGIN,
	openKeySession,
	postForm,
	readTokens,
	redeem,
	refresh,
	registerProgram,
	request,
} from "../../support/programs.ts";
import { createDraft, registerAgent } from "../../support/scenario.ts";
import { DAY_MS } from "../../support/times.ts";

afterEach(() => {
	vi.useRealTimers();
});

describe("a program", () => {
	it("finds the issuer from a 401", async () => {
		const response = await request("/api/v1/agent/whoami");
		expect(response.status).toBe(401);
		const challenge = response.headers.get("WWW-Authenticate") ?? "";
		const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
		expect(url).toBe(`${ORIGIN}/.well-known/oauth-protected-resource`);
		const metadata = await (await request(url)).json();
		expect(metadata).toMatchObject({ resource: ORIGIN, authorization_servers: [ORIGIN], scopes_supported: ["read", "act"] });
		const issuer = await (await request("/.well-known/oauth-authorization-server")).json();
		expect(issuer).toMatchObject({ issuer: ORIGIN, token_endpoint: `${ORIGIN}/oauth/token`, code_challenge_methods_supported: ["S256"] });
	});

	it("is connected by a person, and then acts as their agent", async () => {
		const { person, program } = await connectPerson();
		expect(program.tokens).toMatchObject({ expires_in: 3600, scope: "read act" });
		expect(await program.call("whoAmI")).toMatchObject({ agent_id: person.agentId, auth_method: "api_key" });
		await createDraft(program);
		expect((await person.call("listGrants")).data).toMatchObject([{ client_name: "Test client", client_uri: null, scope: "act" }]);
	});

	it("is connected by an agent whose key opened the session", async () => {
		const agent = await registerAgent("Ada");
		const program = await connect(await openKeySession(agent.key));
		expect((await program.call("whoAmI")).agent_id).toBe(agent.agentId);
		expect((await agent.call("listGrants")).data).toHaveLength(1);
	});

	it("reads only, unless it asks for more", async () => {
		const { person, program } = await connectPerson({ scope: "" });
		expect(program.tokens.scope).toBe("read");
		await program.call("whoAmI");
		const { headers } = await program.refused("createTask", "FORBIDDEN", { body: {} });
		expect(headers.get("WWW-Authenticate")).toMatch(/^Bearer .*error="insufficient_scope", scope="act".*resource_metadata=/);
		const draft = await createDraft(person);
		expect(await program.call("lintTask", { params: { id: draft.id } })).toHaveProperty("findings");
		await program.refused("publishTask", "FORBIDDEN", { params: { id: draft.id } });
	});

	it("makes no credentials, and ends none but its own", async () => {
		const { person, program } = await connectPerson();
		const { id } = await person.call("createApiKey");
		await program.refused("revokeApiKey", "FORBIDDEN", { query: { id } });
		await program.refused("revokeOperatorToken", "FORBIDDEN", { params: { id } });
		await program.refused("createApiKey", "FORBIDDEN");
		await program.refused("createOperatorToken", "FORBIDDEN");
		const [grant] = (await person.call("listGrants")).data;
		await program.refused("endGrant", "FORBIDDEN", { params: { id: grant?.id ?? "" } });
		await program.refused("openSession", "FORBIDDEN");
	});

	it("refreshes its tokens, and each refresh token is replaced", async () => {
		const { program } = await connectPerson();
		const second = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		expect(second.refresh_token).not.toBe(program.tokens.refresh_token);
		await createClient({ key: second.access_token }).call("whoAmI");
		const third = await readTokens(await refresh(program.clientId, second.refresh_token, { scope: "read" }));
		expect(third.scope).toBe("read");
		await createClient({ key: third.access_token }).refused("createTask", "FORBIDDEN", { body: {} });
	});

	it("loses its access token after an hour, and its refresh token after thirty days without use", async () => {
		const { program } = await connectPerson();
		const start = Date.now();
		vi.useFakeTimers({ toFake: ["Date"], now: start + 3_601_000 });
		await program.refused("whoAmI", "unauthorized");
		vi.setSystemTime(start + 29 * DAY_MS);
		const { refresh_token } = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		vi.setSystemTime(start + 58 * DAY_MS);
		const last = await readTokens(await refresh(program.clientId, refresh_token));
		vi.setSystemTime(start + 89 * DAY_MS);
		await expectRefused(await refresh(program.clientId, last.refresh_token), "invalid_grant");
	});

	it("gives a token back", async () => {
		const { person, program } = await connectPerson();
		const revoke = (token: string) => postForm("/oauth/revoke", { token, client_id: program.clientId });
		expect((await revoke(program.tokens.access_token)).status).toBe(200);
		await program.refused("whoAmI", "unauthorized");
		const next = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		// The grant goes on, so its other tokens do.
		await createClient({ key: next.access_token }).call("whoAmI");
		expect((await revoke(next.refresh_token)).status).toBe(200);
		await createClient({ key: next.access_token }).refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, next.refresh_token), "invalid_grant");
		expect((await person.call("listGrants")).data).toEqual([]);
		expect((await revoke("unknown")).status).toBe(200);
	});

	it("is disconnected by its person", async () => {
		const { person, program } = await connectPerson();
		const [grant] = (await person.call("listGrants")).data;
		const params = { id: grant?.id ?? "" };
		const stranger = await signInHuman();
		await stranger.refused("endGrant", "NOT_FOUND", { params });
		expect(await person.call("endGrant", { params })).toEqual({ id: params.id, ended: true, ended_webhooks: [] });
		await program.refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant");
		await person.refused("endGrant", "NOT_FOUND", { params });
	});

	it("that is connected again replaces its earlier grant", async () => {
		const { person, program } = await connectPerson();
		const code = await consent(await browserOf(person), program.clientId);
		await readTokens(await redeem(program.clientId, code));
		expect((await person.call("listGrants")).data).toHaveLength(1);
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant");
	});

	it("with a secret authenticates, by the header or in the form", async () => {
		const by = await browserOf(await signInHuman());
		const { clientId, clientSecret = "" } = await registerProgram({ token_endpoint_auth_method: "client_secret_post" });
		const code = await consent(by, clientId);
		await expectRefused(await redeem(clientId, code), "invalid_client", 401);
		await expectRefused(await redeem(clientId, code, { client_secret: "wrong" }), "invalid_client", 401);
		await readTokens(await redeem(clientId, code, { client_secret: clientSecret }));
	});

	it("learns that its person refuses", async () => {
		const by = await browserOf(await signInHuman());
		const { clientId } = await registerProgram();
		const response = await decide(by, await authorizationOf(clientId), "deny");
		expect(response.status).toBe(302);
		const { searchParams } = new URL(response.headers.get("Location") ?? "");
		expect(Object.fromEntries(searchParams)).toMatchObject({ error: "access_denied", state: "state of the client", iss: ORIGIN });
	});
});

describe("the page of consent", () => {
	const open = async (cookie: string | null, change: Readonly<Record<string, string>> = {}) => {
		const { clientId } = await registerProgram({ client_name: "<b>Sly</b> client" });
		const query = new URLSearchParams(await authorizationOf(clientId, change));
		return request(`/oauth/authorize?${query}`, { headers: { Accept: "text/html", ...(cookie === null ? {} : { Cookie: cookie }) } });
	};

	it("names the client, the host, the agent and the scope, and cannot be framed", async () => {
		const person = await signInHuman("Grace Hopper");
		const response = await open((await browserOf(person)).cookie);
		const html = await response.text();
		expect(response.status).toBe(200);
		for (const shown of ["&lt;b&gt;Sly&lt;/b&gt; client", "client.example", "Grace Hopper", "read and act"]) expect(html).toContain(shown);
		expect(html).not.toContain("<b>Sly");
		const policy = response.headers.get("Content-Security-Policy");
		expect(policy).toContain("frame-ancestors 'none'");
		// Browsers would hold it against the redirects that follow the callback.
		expect(policy).not.toContain("form-action");
		expect(response.headers.get("Referrer-Policy")).toBe("same-origin");
		expect(response.headers.get("X-Frame-Options")).toBe("DENY");
		expect(response.headers.get("Cache-Control")).toBe("no-store");
	});

	it("asks to sign in first", async () => {
		const html = await (await open(null)).text();
		expect(html).toContain("Sign in first");
		expect(html).toContain("/console/sign-in?return_to=%2Foauth%2Fauthorize");
	});

	it("is a page also for what is wrong", async () => {
		const response = await request("/oauth/authorize?client_id=unknown", { headers: { Accept: "text/html" } });
		expect(response.status).toBe(400);
		expect(await response.text()).toContain("This platform does not know the program");
		const json = await request("/oauth/authorize?client_id=unknown", { headers: { Accept: "application/json" } });
		expect(z.object({ error: z.literal("invalid_request") }).parse(await json.json())).toBeTruthy();
	});
});
