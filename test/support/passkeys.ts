// Plays both ceremonies of passkeys, with a software authenticator.
import { z } from "zod";
import { SESSION_COOKIE } from "../../src/http/session-cookie.ts";
import { Authenticator, type Misbehaviour } from "./authenticator.ts";
import { type Client, createClient } from "./client.ts";
import { browser } from "./identities.ts";

/** Adds a passkey to a caller. */
export async function addPasskey(caller: Client, { authenticator = new Authenticator(), how = {}, name = "Laptop" as string | null } = {}) {
	const response = await makePasskey(caller, authenticator, how);
	const passkey = await caller.call("addPasskey", { body: { ...response, name } });
	return { authenticator, passkey };
}

export async function makePasskey(caller: Client, authenticator: Authenticator, how: Misbehaviour = {}) {
	return authenticator.create(await caller.call("createPasskeyOptions"), how);
}

/** Signs with the newest passkey of an authenticator, for a new challenge. */
export async function signWith(authenticator: Authenticator, how: Misbehaviour = {}, client: Client = createClient()) {
	return authenticator.get(await client.call("createPasskeySignInOptions"), how);
}

/** Signs a browser in, which may already have a session. */
export async function signInWith(authenticator: Authenticator, before: Client = createClient()) {
	const response = await before.send("openPasskeySession", { body: await signWith(authenticator) });
	const session = z.object({ agent_id: z.string(), tier: z.string(), csrf_token: z.string() }).parse(await response.json());
	const cookie = new RegExp(`${SESSION_COOKIE}=[^;]+`).exec(response.headers.get("Set-Cookie") ?? "")?.[0] ?? "";
	const token = cookie.slice(cookie.indexOf("=") + 1);
	return { ...browser({ Cookie: cookie, "X-CSRF-Token": session.csrf_token }), session, token };
}
