// Each test is an attack on the issuer, by its name. docs/pages/guides/connect-a-program.mdx has them as a table for people.
import { afterEach, describe, expect, it, vi } from "vitest";
import { admin } from "../../support/admin.ts";
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
	REDIRECT,
	readTokens,
	redeem,
	refresh,
	registerProgram,
	request,
} from "../../support/programs.ts";
import { registerAgent } from "../../support/scenario.ts";

afterEach(() => {
	vi.useRealTimers();
});

const signedIn = async () => browserOf(await signInHuman());
const errorOf = (response: Response) => new URL(response.headers.get("Location") ?? "").searchParams.get("error");

/** Opens the page of consent as a browser does. */
const openPage = async (parameters: Readonly<Record<string, string>>, cookie: string) =>
	request(`/oauth/authorize?${new URLSearchParams(parameters)}`, { headers: { Accept: "text/html", Cookie: cookie } });

describe("a code", () => {
	it("redeemed fifty times at once gives one token, and its grant ends", async () => {
		const person = await signInHuman();
		const { clientId } = await registerProgram();
		const code = await consent(await browserOf(person), clientId);
		// Each code may be presented 30 times a minute by the Worker, so the attack meets the limit too.
		const responses = await Promise.all(Array.from({ length: 50 }, () => redeem(clientId, code)));
		const statuses = responses.map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(1);
		expect(statuses.every((status) => [200, 400, 429].includes(status))).toBe(true);
		const { access_token, refresh_token } = await readTokens(responses.find(({ status }) => status === 200) ?? new Response());
		await createClient({ key: access_token }).refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(clientId, refresh_token), "invalid_grant");
		expect((await person.call("listGrants")).data).toEqual([]);
	});

	it("redeemed again after a lost response says to connect again", async () => {
		const { clientId } = await registerProgram();
		const code = await consent(await signedIn(), clientId);
		await readTokens(await redeem(clientId, code));
		expect(await expectRefused(await redeem(clientId, code), "invalid_grant")).toContain("already used");
		expect(await expectRefused(await redeem(clientId, code), "invalid_grant")).toContain("Connect the program again");
	});

	it("older than a minute is refused, and its grant ends", async () => {
		const { clientId } = await registerProgram();
		const by = await signedIn();
		const [young, old] = [await consent(by, clientId, { redirect_uri: REDIRECT }), await consent(await signedIn(), clientId)];
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 59_000 });
		await readTokens(await redeem(clientId, young));
		vi.setSystemTime(Date.now() + 2_000);
		expect(await expectRefused(await redeem(clientId, old), "invalid_grant")).toContain("expired");
		vi.useRealTimers();
		await expectRefused(await redeem(clientId, old), "invalid_grant");
	});

	it("is useless without the verifier of PKCE", async () => {
		const { clientId } = await registerProgram();
		const code = await consent(await signedIn(), clientId);
		await expectRefused(await redeem(clientId, code, { code_verifier: "w".repeat(43) }), "invalid_grant");
		await expectRefused(await redeem(clientId, code, { code_verifier: "" }), "invalid_request");
	});

	it("is useless to another client, and with another redirect URI", async () => {
		const [{ clientId }, other] = [await registerProgram(), await registerProgram()];
		const code = await consent(await signedIn(), clientId);
		await expectRefused(await redeem(other.clientId, code), "invalid_client", 401);
		await expectRefused(await redeem(clientId, code, { redirect_uri: "https://client.example/other" }), "invalid_grant");
		await readTokens(await redeem(clientId, code));
	});

	it.each(["", "x", "a:b:c", `${crypto.randomUUID()}:${"x".repeat(16)}:${"y".repeat(32)}`, "' or 1=1 --", "\u0000"])(
		"that is made up is refused: %j",
		async (code) => {
			const { clientId } = await registerProgram();
			await expectRefused(await redeem(clientId, code), code === "" ? "invalid_request" : "invalid_grant");
		},
	);
});

describe("a request without PKCE", () => {
	it("is refused, also from a client with a secret", async () => {
		const by = await signedIn();
		for (const method of ["none", "client_secret_basic"]) {
			const { clientId } = await registerProgram({ token_endpoint_auth_method: method });
			const { code_challenge: _, code_challenge_method: __, ...without } = await authorizationOf(clientId);
			const page = await openPage(without, by.cookie);
			expect([page.status, errorOf(page)]).toEqual([302, "invalid_request"]);
			expect(errorOf(await decide(by, without))).toBe("invalid_request");
			const plain = await openPage(await authorizationOf(clientId, { code_challenge_method: "plain" }), by.cookie);
			expect(errorOf(plain)).toBe("invalid_request");
			const short = await openPage(await authorizationOf(clientId, { code_challenge: "short" }), by.cookie);
			expect(errorOf(short)).toBe("invalid_request");
		}
	});
});

describe("a redirect URI", () => {
	it.each(["https://client.example/callback/", "https://client.example@evil.test/callback", "http://client.example/callback", ""])(
		"that is not registered leads nowhere: %s",
		async (redirect_uri) => {
			const by = await signedIn();
			const { clientId } = await registerProgram();
			const parameters = await authorizationOf(clientId, { redirect_uri });
			for (const response of [await openPage(parameters, by.cookie), await decide(by, parameters)]) {
				expect(response.status).toBe(400);
				expect(response.headers.get("Location")).toBeNull();
			}
		},
	);

	it("on loopback may have another port, and nothing else may differ", async () => {
		const by = await signedIn();
		const { clientId } = await registerProgram({ redirect_uris: ["http://127.0.0.1/callback"] });
		const open = async (redirect_uri: string) => (await openPage(await authorizationOf(clientId, { redirect_uri }), by.cookie)).status;
		expect(await open("http://127.0.0.1:49152/callback")).toBe(200);
		for (const other of ["http://127.0.0.1:49152/other", "http://localhost:49152/callback", "https://127.0.0.1/callback"]) {
			expect(await open(other)).toBe(400);
		}
	});

	it.each(["javascript:alert(1)", "https://client.example/#x", "https://user:pass@client.example/", "http://client.example/", "nonsense"])(
		"such as %s cannot be the only registered one",
		async (uri) => {
			const body = JSON.stringify({ redirect_uris: [uri], token_endpoint_auth_method: "none" });
			const headers = { "Content-Type": "application/json" };
			const response = await request("/oauth/register", { method: "POST", headers, body });
			await expectRefused(response, "invalid_redirect_uri");
		},
	);
});

describe("a registration", () => {
	const register = (body: string) => request("/oauth/register", { method: "POST", headers: { "Content-Type": "application/json" }, body });

	it.each(["Claude\u202E edualC", "two\nlines", "\u0000", "x".repeat(101), 7])("with the name %j is refused", async (client_name) => {
		await expectRefused(await register(JSON.stringify({ client_name, redirect_uris: [REDIRECT] })), "invalid_client_metadata");
	});

	it.each([
		["invalid_client_metadata", "no JSON"],
		["invalid_client_metadata", "[]"],
		["invalid_client_metadata", JSON.stringify({ redirect_uris: [REDIRECT], grant_types: "x" })],
		["invalid_redirect_uri", JSON.stringify({ redirect_uris: REDIRECT })],
		["invalid_redirect_uri", JSON.stringify({ redirect_uris: Array(21).fill(REDIRECT) })],
	])("is %s for %s", async (error, body) => {
		await expectRefused(await register(body), error);
	});

	it("counts a member that is null as absent, and a name that no one sees as none", async () => {
		for (const client_name of [null, "", " ", "\u200B"]) {
			const { clientId } = await registerProgram({ client_name, client_uri: null, grant_types: null });
			const html = await (await openPage(await authorizationOf(clientId), (await signedIn()).cookie)).text();
			expect(html).toContain("Connect client.example?");
		}
	});
});

describe("a request of a stranger that is not valid", () => {
	it("leads nowhere before someone has signed in, and the page names the host", async () => {
		const { clientId } = await registerProgram();
		for (const change of [{ code_challenge_method: "plain" }, { resource: "https://other.example/" }, { response_type: "token" }]) {
			const page = await openPage(await authorizationOf(clientId, change), "");
			expect([page.status, page.headers.get("Location")]).toEqual([400, null]);
			expect(await page.text()).toContain("client.example");
		}
	});
});

describe("a parameter", () => {
	it("that is repeated is refused", async () => {
		const by = await signedIn();
		const { clientId } = await registerProgram();
		const query = new URLSearchParams(await authorizationOf(clientId));
		query.append("redirect_uri", "https://evil.test/");
		const response = await request(`/oauth/authorize?${query}`, { headers: { Accept: "text/html", Cookie: by.cookie } });
		expect(response.status).toBe(400);
	});

	it("that names another audience is invalid_target, in each request", async () => {
		const by = await signedIn();
		const { clientId } = await registerProgram();
		const resource = "https://other.example/mcp";
		expect(errorOf(await openPage(await authorizationOf(clientId, { resource }), by.cookie))).toBe("invalid_target");
		const code = await consent(by, clientId);
		await expectRefused(await redeem(clientId, code, { resource }), "invalid_target");
		const body = new URLSearchParams({ grant_type: "authorization_code", client_id: clientId, code, resource: `${ORIGIN}/mcp` });
		body.append("resource", resource);
		const headers = { "Content-Type": "application/x-www-form-urlencoded" };
		await expectRefused(await request("/oauth/token", { method: "POST", headers, body: body.toString() }), "invalid_target");
		const { refresh_token } = await readTokens(await redeem(clientId, code, { resource: "" }));
		await expectRefused(await refresh(clientId, refresh_token, { resource }), "invalid_target");
	});

	it("asks for more scope than was granted in vain", async () => {
		const { program } = await connectPerson({ scope: "read" });
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token, { scope: "act" }), "invalid_scope");
		const next = await readTokens(await refresh(program.clientId, program.tokens.refresh_token, { scope: "read act" }));
		expect(next.scope).toBe("read");
	});
});

describe("a refresh token", () => {
	it("used twice at once gives one chain, and both chains end if both go on", async () => {
		const { person, program } = await connectPerson();
		const pair = await Promise.all([1, 2].map(() => refresh(program.clientId, program.tokens.refresh_token)));
		const received = await Promise.all(pair.map(readTokens));
		const next = await Promise.all(received.map(({ refresh_token }) => refresh(program.clientId, refresh_token)));
		expect(next.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
		expect((await person.call("listGrants")).data).toEqual([]);
	});

	it("may be sent again after a lost response", async () => {
		const { program } = await connectPerson();
		await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		const again = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		await readTokens(await refresh(program.clientId, again.refresh_token));
	});

	it("that a thief has sent again ends the grant when the owner goes on", async () => {
		const { person, program } = await connectPerson();
		const owners = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		const thiefs = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		await createClient({ key: thiefs.access_token }).call("whoAmI");
		expect(await expectRefused(await refresh(program.clientId, owners.refresh_token), "invalid_grant")).toContain("already used");
		await createClient({ key: thiefs.access_token }).refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, thiefs.refresh_token), "invalid_grant");
		expect((await person.call("listGrants")).data).toEqual([]);
	});

	it("that was replaced and comes back ends the grant", async () => {
		const { person, program } = await connectPerson();
		const second = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		const third = await readTokens(await refresh(program.clientId, second.refresh_token));
		expect(await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant")).toContain("already used");
		await createClient({ key: third.access_token }).refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, third.refresh_token), "invalid_grant");
		expect((await person.call("listGrants")).data).toEqual([]);
	});

	it("is useless to another client, and as an access token", async () => {
		const { program } = await connectPerson();
		const other = await registerProgram();
		await expectRefused(await refresh(other.clientId, program.tokens.refresh_token), "invalid_client", 401);
		await createClient({ key: program.tokens.refresh_token }).refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, program.tokens.access_token), "invalid_grant");
		await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
	});

	it("cannot be revoked by another client", async () => {
		const { program } = await connectPerson();
		const other = await registerProgram();
		await postForm("/oauth/revoke", { token: program.tokens.refresh_token, client_id: other.clientId });
		await program.call("whoAmI");
		await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
	});
});

describe("a form of consent", () => {
	it("from another site, or without the session's token, grants nothing", async () => {
		const person = await signInHuman();
		const by = await browserOf(person);
		const { clientId } = await registerProgram();
		const parameters = await authorizationOf(clientId);
		const forged = [
			decide({ ...by, csrfToken: "" }, parameters),
			decide({ ...by, csrfToken: "0".repeat(72) }, parameters),
			decide({ ...by, csrfToken: (await signedIn()).csrfToken }, parameters),
			decide(by, parameters, "allow", { Origin: "https://evil.test" }),
			decide(by, parameters, "allow", { "Sec-Fetch-Site": "cross-site" }),
			decide({ ...by, cookie: "" }, parameters),
			decide(by, parameters, "maybe"),
		];
		for (const response of await Promise.all(forged)) {
			expect([400, 403]).toContain(response.status);
			expect(response.headers.get("Location")).toBeNull();
		}
	});

	it("with a key or a token instead of a session grants nothing", async () => {
		const { program } = await connectPerson();
		const agent = await registerAgent();
		const { clientId } = await registerProgram();
		const fields = { ...(await authorizationOf(clientId)), decision: "allow", csrf_token: "x" };
		for (const key of [agent.key, program.tokens.access_token]) {
			expect((await postForm("/oauth/authorize", fields, { Authorization: `Bearer ${key}` })).status).toBe(403);
		}
	});

	it("cannot change what was shown, because the request is checked again", async () => {
		const by = await signedIn();
		const { clientId } = await registerProgram();
		const shown = await authorizationOf(clientId);
		expect((await decide(by, { ...shown, redirect_uri: "https://evil.test/" })).status).toBe(400);
		expect((await decide(by, { ...shown, client_id: "unknown" })).status).toBe(400);
	});

	it("is asked for each time, also for a client that was allowed before", async () => {
		const by = await signedIn();
		const { clientId } = await registerProgram({ redirect_uris: [REDIRECT, "https://client.example/second"] });
		await readTokens(await redeem(clientId, await consent(by, clientId)));
		for (const redirect_uri of [REDIRECT, "https://client.example/second"]) {
			const page = await openPage(await authorizationOf(clientId, { redirect_uri, prompt: "none" }), by.cookie);
			expect(page.status).toBe(200);
			expect(await page.text()).toContain('value="allow"');
		}
	});
});

describe("a leaked key", () => {
	it("loses the program that it has connected, when the key is revoked", async () => {
		const agent = await registerAgent();
		const stolen = await agent.call("createApiKey");
		const program = await connect(await openKeySession(stolen.api_key));
		await program.call("whoAmI");
		await agent.call("revokeApiKey", { query: { id: stolen.id } });
		await createClient({ key: program.tokens.access_token }).refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant");
	});

	it("loses it when the rightful owner claims the agent, and a code in flight too", async () => {
		const agent = await registerAgent();
		const by = await openKeySession(agent.key);
		const program = await connect(by);
		const { clientId } = await registerProgram();
		const code = await consent(by, clientId);
		const owner = await signInHuman();
		await owner.call("claimAgent", { body: { api_key: agent.key } });
		await program.refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant");
		await expectRefused(await redeem(clientId, code), "invalid_grant");
	});

	it("connects nothing any more once it is revoked, also with a page that was open", async () => {
		const agent = await registerAgent();
		const stolen = await agent.call("createApiKey");
		const by = await openKeySession(stolen.api_key);
		await agent.call("revokeApiKey", { query: { id: stolen.id } });
		const { clientId } = await registerProgram();
		expect((await decide(by, await authorizationOf(clientId))).status).toBe(403);
	});
});

describe("a suspended or erased agent", () => {
	it("loses its programs within ten seconds, and a restored one must connect them again", async () => {
		const { person, program } = await connectPerson();
		const params = { id: person.agentId };
		await admin.call("suspendAgent", { params, body: { reason: "spam" } });
		await program.refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant");
		await admin.call("restoreAgent", { params, body: { reason: "mistake" } });
		await program.refused("whoAmI", "unauthorized");
	});

	it("loses its programs with its data, after an export has named them", async () => {
		const { person, program } = await connectPerson();
		const exported = JSON.stringify(await (await admin.send("exportAgent", { params: { id: person.agentId } })).text());
		expect(exported).toContain("Test client");
		await admin.call("eraseAgent", { params: { id: person.agentId }, body: { reason: "asked" } });
		await program.refused("whoAmI", "unauthorized");
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant");
	});
});

describe("a stranger", () => {
	it("finds out by no response whether a token exists", async () => {
		const { program } = await connectPerson();
		const other = await registerProgram();
		const made = `${crypto.randomUUID()}:${"x".repeat(16)}:${"y".repeat(32)}`;
		for (const token of [made, program.tokens.refresh_token]) {
			const response = await postForm("/oauth/revoke", { token, client_id: other.clientId });
			expect([200, 401]).toContain(response.status);
		}
	});

	it("presents a code at most thirty times a minute, and is told to wait", async () => {
		const { clientId } = await registerProgram();
		const code = `${crypto.randomUUID()}:${"x".repeat(16)}:${"y".repeat(32)}`;
		const responses = await Promise.all(Array.from({ length: 40 }, () => redeem(clientId, code)));
		const limited = responses.find(({ status }) => status === 429);
		expect(limited?.headers.get("Retry-After")).toBe("60");
		await expectRefused(limited ?? new Response(), "temporarily_unavailable", 429);
	});

	it("registers at most sixty clients a minute from an IP address", async () => {
		const register = () =>
			request(
				"/oauth/register",
				{ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ redirect_uris: [REDIRECT] }) },
				"192.0.2.77",
			);
		const statuses = (await Promise.all(Array.from({ length: 70 }, register))).map(({ status }) => status);
		expect(statuses.filter((status) => status === 201)).toHaveLength(60);
		expect(statuses.filter((status) => status === 429)).toHaveLength(10);
	});

	it("gets a form of RFC 6749 for every hostile body", async () => {
		for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/device_authorization"]) {
			for (const body of ["", "=", "%", "grant_type=", "grant_type=password&username=a&password=b", "a".repeat(40_000)]) {
				const headers = { "Content-Type": "application/x-www-form-urlencoded" };
				const response = await request(path, { method: "POST", headers, body });
				expect(response.status).toBeGreaterThanOrEqual(400);
				expect(response.status).toBeLessThan(500);
				expect(await response.json()).toMatchObject({ error: expect.any(String), error_description: expect.any(String) });
			}
			const json = await request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
			await expectRefused(json, "invalid_request");
		}
	});

	it("reads no metadata of other paths", async () => {
		expect((await request("/.well-known/oauth-protected-resource/api")).status).toBe(404);
		const served = await (await request("/.well-known/oauth-protected-resource/mcp/oauth")).json();
		expect(served).toMatchObject({ resource: `${ORIGIN}/mcp/oauth`, authorization_servers: [ORIGIN] });
	});
});
