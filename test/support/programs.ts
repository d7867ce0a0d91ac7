// Connects programs to an agent as a client does it: it registers, asks for consent, and redeems the code.
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { z } from "zod";
import { type Client, createClient } from "./client.ts";
import { browser, type SignedInHuman, signInHuman } from "./identities.ts";

export const ORIGIN = "https://bounty.test";
export const REDIRECT = "https://client.example/callback";

const tokens = z.object({
	access_token: z.string(),
	token_type: z.literal("bearer"),
	expires_in: z.number(),
	refresh_token: z.string(),
	scope: z.string(),
});
export type Tokens = z.infer<typeof tokens>;

/** Sends a request to the platform, each from its own IP address unless one is given. */
export function request(path: string, init: RequestInit = {}, address = randomAddress()): Promise<Response> {
	const headers = new Headers(init.headers);
	headers.set("CF-Connecting-IP", address);
	return exports.default.fetch(new Request(new URL(path, ORIGIN), { redirect: "manual", ...init, headers }));
}

function randomAddress(): string {
	return `2001:db8:${[...crypto.getRandomValues(new Uint16Array(2))].map((part) => part.toString(16)).join(":")}::1`;
}

export function postForm(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
	return request(path, {
		method: "POST",
		headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
		body: new URLSearchParams(fields).toString(),
	});
}

export interface RegisteredProgram {
	readonly clientId: string;
	readonly clientSecret: string | undefined;
}

export async function registerProgram(change: object = {}): Promise<RegisteredProgram> {
	const metadata = { client_name: "Test client", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", ...change };
	const response = await request("/oauth/register", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(metadata),
	});
	expect(response.status).toBe(201);
	const { client_id, client_secret } = z
		.object({ client_id: z.string(), client_secret: z.string().optional() })
		.parse(await response.json());
	return { clientId: client_id, clientSecret: client_secret };
}

async function makeChallenge(verifier = "v".repeat(43)) {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
	return { verifier, challenge: new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true }) };
}

/** Returns the parameters of an authorization request, with some replaced. */
export async function authorizationOf(clientId: string, change: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
	const { challenge } = await makeChallenge();
	return {
		response_type: "code",
		client_id: clientId,
		redirect_uri: REDIRECT,
		scope: "act",
		state: "state of the client",
		code_challenge: challenge,
		code_challenge_method: "S256",
		...change,
	};
}

/** A browser that is signed in. */
export interface Browser {
	readonly cookie: string;
	readonly csrfToken: string;
}

export async function browserOf({ token }: Pick<SignedInHuman, "token">): Promise<Browser> {
	const cookie = `__Host-session=${token}`;
	return { cookie, csrfToken: (await browser({ Cookie: cookie }).call("getSession")).csrf_token };
}

/** Opens a session with a key, as the console does. */
export async function openKeySession(key: string): Promise<Browser & { readonly token: string }> {
	const response = await request("/api/auth/session", { method: "POST", headers: { Authorization: `Bearer ${key}` } });
	expect(response.status).toBe(200);
	const token = /__Host-session=(\w+)/.exec(response.headers.get("Set-Cookie") ?? "")?.[1] ?? "";
	return { token, ...(await browserOf({ token })) };
}

/** Sends the form of the consent page. */
export function decide(
	by: Browser,
	parameters: Readonly<Record<string, string>>,
	decision = "allow",
	headers: Record<string, string> = {},
) {
	return postForm("/oauth/authorize", { ...parameters, csrf_token: by.csrfToken, decision }, { Cookie: by.cookie, ...headers });
}

/** Lets a person consent, and returns the code. */
export async function consent(by: Browser, clientId: string, change: Readonly<Record<string, string>> = {}): Promise<string> {
	const response = await decide(by, await authorizationOf(clientId, change));
	expect(response.status, await response.clone().text()).toBe(302);
	const location = new URL(response.headers.get("Location") ?? "");
	expect(location.origin + location.pathname).toBe(change["redirect_uri"] ?? REDIRECT);
	expect(location.searchParams.get("state")).toBe("state of the client");
	expect(location.searchParams.get("iss")).toBe(ORIGIN);
	return location.searchParams.get("code") ?? "";
}

export function redeem(clientId: string, code: string, change: Readonly<Record<string, string>> = {}): Promise<Response> {
	return postForm("/oauth/token", {
		grant_type: "authorization_code",
		client_id: clientId,
		code,
		redirect_uri: REDIRECT,
		code_verifier: "v".repeat(43),
		...change,
	});
}

export function refresh(clientId: string, refreshToken: string, change: Readonly<Record<string, string>> = {}): Promise<Response> {
	return postForm("/oauth/token", { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken, ...change });
}

export async function readTokens(response: Response): Promise<Tokens> {
	expect(response.status, await response.clone().text()).toBe(200);
	expect(response.headers.get("Cache-Control")).toBe("no-store");
	return tokens.parse(await response.json());
}

/** Expects an error of OAuth. */
export async function expectRefused(response: Response, error: string, status = 400): Promise<string> {
	const body = z.strictObject({ error: z.string(), error_description: z.string() }).parse(await response.json());
	expect(body).toMatchObject({ error });
	expect(response.status).toBe(status);
	return body.error_description;
}

export interface Program extends Client {
	readonly tokens: Tokens;
	readonly clientId: string;
}

/** Connects a program to the agent of a browser. */
export async function connect(by: Browser, change: Readonly<Record<string, string>> = {}): Promise<Program> {
	const { clientId } = await registerProgram();
	const received = await readTokens(await redeem(clientId, await consent(by, clientId, change)));
	return { ...createClient({ key: received.access_token }), tokens: received, clientId };
}

/** Connects a program to a person who has just signed in. */
export async function connectPerson(change: Readonly<Record<string, string>> = {}) {
	const person = await signInHuman();
	return { person, program: await connect(await browserOf(person), change) };
}
