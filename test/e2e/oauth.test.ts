// The whole dance of OAuth by the libraries of hosted clients: the official MCP client and the AI SDK. A browser without script consents.
import { spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auth, createMCPClient } from "@ai-sdk/mcp";
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { buildCli, CLI_MAIN } from "../support/cli-package.ts";
import { type HttpCaller, randomAddress, registerCaller } from "../support/http.ts";
import { callTool, textOf } from "../support/mcp-client.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const REDIRECT = "http://127.0.0.1:53682/callback";
const TIMEOUT_MS = 60_000;

let server: RunningServer;
let agent: HttpCaller;
let cookie: string;
beforeAll(async () => {
	[server] = await Promise.all([startServer(), buildCli()]);
	agent = await registerCaller(server);
	const opened = await fetch(`${server.url}/api/auth/session`, {
		method: "POST",
		headers: { Authorization: `Bearer ${agent.key}`, "CF-Connecting-IP": randomAddress() },
	});
	cookie = (opened.headers.get("Set-Cookie") ?? "").split(";")[0] ?? "";
});
afterAll(() => server?.close());

const open: { close(): unknown }[] = [];
afterEach(async () => {
	await Promise.all(open.splice(0).map((each) => each.close()));
});

/** A browser that is signed in opens a page and sends its form, as one without script does. */
async function consent(url: string, decision = "allow"): Promise<Response> {
	const headers = { Cookie: cookie, "CF-Connecting-IP": randomAddress(), Accept: "text/html" };
	const html = await (await fetch(url, { headers })).text();
	const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
		name,
		value.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'"),
	]);
	const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? "";
	return fetch(new URL(action, url), {
		method: "POST",
		redirect: "manual",
		headers: { ...headers, Origin: server.url, "Content-Type": "application/x-www-form-urlencoded" },
		body: new URLSearchParams([...fields, ["decision", decision]]).toString(),
	});
}

/** Remembers what a client stores between two pages. */
function createProvider(change: { readonly scope?: string; readonly clientMetadataUrl?: string } = {}) {
	const stored: { client?: object; tokens?: object; verifier: string; url: URL | null } = { verifier: "", url: null };
	const provider = {
		get redirectUrl() {
			return REDIRECT;
		},
		get clientMetadata() {
			return { client_name: "Hosted client", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", scope: change.scope ?? "act" };
		},
		...(change.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: change.clientMetadataUrl }),
		state: () => "state",
		clientInformation: () => trust<never>(stored.client),
		saveClientInformation: (client: object) => {
			stored.client = client;
		},
		tokens: () => trust<never>(stored.tokens),
		saveTokens: (tokens: object) => {
			stored.tokens = tokens;
		},
		redirectToAuthorization: (url: URL) => {
			stored.url = url;
		},
		saveCodeVerifier: (verifier: string) => {
			stored.verifier = verifier;
		},
		codeVerifier: () => stored.verifier,
	};
	return { provider, stored };
}

/** Both libraries read back what they have stored. */
function trust<Stored>(value: unknown): Stored | undefined {
	return value as Stored | undefined;
}

async function callbackOf(url: URL | null): Promise<URLSearchParams> {
	const response = await consent(String(url));
	expect(response.status).toBe(302);
	const location = new URL(response.headers.get("Location") ?? "");
	expect(location.origin + location.pathname).toBe(REDIRECT);
	return location.searchParams;
}

async function connectOfficial(provider: OAuthClientProvider, path: string) {
	const transport = () =>
		new StreamableHTTPClientTransport(new URL(server.url + path), {
			authProvider: provider,
			requestInit: { headers: { "CF-Connecting-IP": randomAddress() } },
		});
	const client = () => {
		const made = new Client({ name: "test", version: "1.0.0" });
		open.push(made);
		return made;
	};
	return { transport, client };
}

describe("the official MCP client", () => {
	it(
		"signs in at /mcp/oauth, calls tools, and refreshes its token",
		async () => {
			const { provider, stored } = createProvider();
			const { transport, client } = await connectOfficial(provider, "/mcp/oauth");
			const first = transport();
			await expect(client().connect(first)).rejects.toThrow(UnauthorizedError);
			expect(stored.url?.searchParams.get("resource")).toBe(`${server.url}/mcp/oauth`);
			await first.finishAuth(await callbackOf(stored.url));
			const connected = client();
			await connected.connect(transport());
			const draft = await callTool(connected, "post_task", {
				title: "Parse CSV files",
				budget_cents: 50_000,
				deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
				criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
			});
			expect(textOf(draft, "task_id")).toBeTruthy();
			const me = await callTool(connected, "call_operation", { operation_id: "whoAmI", params: [], query: [], body: "" });
			expect(JSON.stringify(me)).toContain(agent.agentId);
			// The access token is gone, as after an hour.
			const before = trust<{ access_token: string; refresh_token: string }>(stored.tokens);
			await server.query("delete from access_tokens");
			await new Promise((resolve) => setTimeout(resolve, 6_000));
			await callTool(connected, "my_submissions", {});
			const after = trust<{ access_token: string; refresh_token: string }>(stored.tokens);
			expect(after?.refresh_token).not.toBe(before?.refresh_token);
		},
		TIMEOUT_MS,
	);

	it(
		"lists at /mcp without signing in, signs in at the first tool, and asks for a larger scope when it needs one",
		async () => {
			const { provider, stored } = createProvider({ scope: "read" });
			const { transport, client } = await connectOfficial(provider, "/mcp");
			const first = transport();
			const stranger = client();
			await stranger.connect(first);
			expect((await stranger.listTools()).tools.length).toBe(16);
			await expect(stranger.callTool({ name: "my_submissions", arguments: {} })).rejects.toThrow(UnauthorizedError);
			// This client asks for all scopes that the metadata names, so the person's browser is sent with a smaller one.
			stored.url?.searchParams.set("scope", "read");
			await first.finishAuth(await callbackOf(stored.url));
			const connected = client();
			await connected.connect(transport());
			await callTool(connected, "my_submissions", {});
			stored.url = null;
			await connected.callTool({ name: "notes", arguments: { action: "put", key: "a", value: "b" } }).catch(() => undefined);
			expect(trust<URL>(stored.url)?.searchParams.get("scope")).toContain("act");
		},
		TIMEOUT_MS,
	);

	it(
		"signs in with the URL of its metadata document instead of registering",
		async () => {
			let url = "";
			const documents: Server = createServer((_, response) => {
				const body = { client_id: url, client_name: "Documented client", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" };
				response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
			});
			open.push(documents);
			await new Promise<void>((resolve) => documents.listen(0, "127.0.0.1", resolve));
			url = `http://127.0.0.1:${z.object({ port: z.number() }).parse(documents.address()).port}/client.json`;
			const { provider, stored } = createProvider();
			stored.client = { client_id: url };
			const { transport, client } = await connectOfficial(provider, "/mcp/oauth");
			const first = transport();
			await expect(client().connect(first)).rejects.toThrow(UnauthorizedError);
			await first.finishAuth(await callbackOf(stored.url));
			const connected = client();
			await connected.connect(transport());
			await callTool(connected, "my_submissions", {});
			const listed = await agent.call<{ data: { client_name: string }[] }>("GET", "/api/auth/grants");
			expect(listed.data.map(({ client_name }) => client_name)).toContain("Documented client");
		},
		TIMEOUT_MS,
	);
});

describe("the AI SDK", () => {
	it(
		"signs in and calls tools",
		async () => {
			const { provider, stored } = createProvider();
			const serverUrl = `${server.url}/mcp/oauth`;
			expect(await auth(provider, { serverUrl })).toBe("REDIRECT");
			const callback = await callbackOf(stored.url);
			const authorized = await auth(provider, {
				...{ serverUrl, authorizationCode: callback.get("code") ?? "", callbackState: callback.get("state") ?? "" },
				callbackIssuer: callback.get("iss") ?? "",
			});
			expect(authorized).toBe("AUTHORIZED");
			const client = await createMCPClient({ transport: { type: "http", url: serverUrl, authProvider: provider } });
			open.push(client);
			const tools = await client.tools();
			const result = await tools["my_submissions"]?.execute?.({}, { toolCallId: "1", messages: [], context: {} });
			expect(JSON.stringify(result)).toContain("submissions");
		},
		TIMEOUT_MS,
	);
});

describe("bounty login", () => {
	it(
		"shows a code, waits for the person, and works without a key from then on",
		async () => {
			const folder = await mkdtemp(join(tmpdir(), "bounty-login-"));
			const run = (...args: readonly string[]) => startCli(folder, args);
			const login = run("login", "--url", server.url);
			const code = await login.find(/code ([B-Z]{4}-[B-Z]{4})/);
			expect((await consent(`${server.url}/device?user_code=${code}`)).status).toBe(200);
			expect(await login.end).toMatchObject({ code: 0 });
			const { stdout } = await run("whoami", "--json").end;
			expect(JSON.parse(stdout)).toMatchObject({ agent_id: agent.agentId, url: server.url });
			expect(await run("logout").end).toMatchObject({ code: 0 });
			const listed = await agent.call<{ data: { client_name: string }[] }>("GET", "/api/auth/grants");
			expect(listed.data.map(({ client_name }) => client_name)).not.toContain("Bounty command line");
		},
		TIMEOUT_MS,
	);
});

/** Runs the command line as a process of its own, with its own configuration. */
function startCli(folder: string, args: readonly string[]) {
	const child = spawn(process.execPath, [CLI_MAIN, ...args], {
		env: { ...process.env, XDG_CONFIG_HOME: folder, BOUNTY_URL: "", BOUNTY_API_KEY: "", BOUNTY_PROFILE: "" },
	});
	let [stdout, stderr] = ["", ""];
	child.stdout.on("data", (chunk) => {
		stdout += chunk;
	});
	child.stderr.on("data", (chunk) => {
		stderr += chunk;
	});
	const end = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
		child.on("close", (code) => resolve({ code, stdout, stderr }));
	});
	return {
		end,
		/** Waits until standard error has a text, and returns its first group. */
		async find(pattern: RegExp): Promise<string> {
			const found = () => pattern.exec(stderr)?.[1];
			while (found() === undefined && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 50));
			return found() ?? `not in: ${stderr}`;
		},
	};
}
