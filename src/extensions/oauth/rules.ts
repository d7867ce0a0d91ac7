// Pure facts and decisions of the issuer.
import type { Scope } from "../../domain/actor.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";

export const AUTHORIZE_PATH = "/oauth/authorize";
export const TOKEN_PATH = "/oauth/token";
export const REVOKE_PATH = "/oauth/revoke";
export const REGISTER_PATH = "/oauth/register";
export const DEVICE_AUTHORIZATION_PATH = "/oauth/device_authorization";
export const DEVICE_PATH = "/device";
export const SIGNED_IN_MCP_PATH = "/mcp/oauth";
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

export const DEVICE_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

/** The time within which a program must exchange its code. */
export const CODE_TTL_MS = 60 * SECOND_MS;
export const ACCESS_TOKEN_TTL_SECONDS = 3_600;
/** The lifetime of a refresh token. A program that is used once a month stays connected. */
export const REFRESH_TOKEN_TTL_SECONDS = (30 * DAY_MS) / SECOND_MS;
export const DEVICE_CODE_TTL_MS = 15 * MINUTE_MS;
/** The minimum time between a device's polls. */
export const POLL_INTERVAL_MS = 5 * SECOND_MS;
/** A client without grants is deleted after this time. */
export const UNUSED_CLIENT_TTL_MS = 30 * DAY_MS;
/** A grant is deleted after this time if its program never fetched its first token. */
export const UNUSED_GRANT_TTL_MS = 20 * MINUTE_MS;
export const MAX_GRANTS_OF_AGENT = 100;
/** The maximum number of wrong user codes per network and window. */
export const MAX_WRONG_USER_CODES = 10;
export const USER_CODE_WINDOW_MS = 10 * MINUTE_MS;
/** The document of a client is fetched again after this time. */
export const DOCUMENT_TTL_MS = 60 * MINUTE_MS;

/** Returns the scope that a request asks for: `act` includes `read`, other words are ignored, and `read` is the default. */
export function readScope(words: readonly string[]): Scope {
	return words.includes("act") ? "act" : "read";
}

/** Returns the words of a scope, in the form in which tokens and grants store them. */
export function wordsOf(scope: Scope): string[] {
	return scope === "act" ? ["read", "act"] : ["read"];
}

/**
 * Returns the audience of a `resource`. The deployment has only one audience, which includes its MCP servers.
 * Returns other values unchanged, so that they are rejected.
 */
export function canonicalResource(resource: string, baseUrl: string): string {
	const own = ["", "/", "/mcp", SIGNED_IN_MCP_PATH].map((path) => baseUrl + path);
	return own.includes(resource) ? baseUrl : resource;
}

/** Returns the key of a code's or token's grant: its holder and the grant's id. Null if the string has another format. */
export function keyOfCode(code: string): string | null {
	return /^([0-9a-f-]{36}:[\w-]{16}):[\w-]{32}$/.exec(code)?.[1] ?? null;
}

export function holderOfKey(key: string): string {
	return key.slice(0, key.indexOf(":"));
}

/** Returns the host that a browser is sent to, as people see it. `isLocal` is true for loopback, which is their own computer. */
export function describeRedirect(redirectUri: string): { readonly host: string; readonly isLocal: boolean } {
	const { host, hostname } = new URL(redirectUri);
	return { host, isLocal: /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) };
}

/** Consonants that are hard to confuse and do not form words. */
const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH = 8;

/**
 * Turns random bytes into a user code.
 * Skips bytes at or above the largest multiple of the number of letters, so that all letters are equally likely.
 */
export function userCodeOf(bytes: Uint8Array): string {
	const limit = 256 - (256 % USER_CODE_LETTERS.length);
	const letters = [...bytes].filter((byte) => byte < limit).map((byte) => USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length]);
	if (letters.length < USER_CODE_LENGTH) throw new Error("There are too few random bytes for a user code.");
	return letters.slice(0, USER_CODE_LENGTH).join("");
}

/** Parses a code that a person typed. Returns null if it cannot be a code. */
export function readUserCode(typed: string): string | null {
	const code = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
	return code.length === USER_CODE_LENGTH && [...code].every((letter) => USER_CODE_LETTERS.includes(letter)) ? code : null;
}

export function formatUserCode(code: string): string {
	return `${code.slice(0, 4)}-${code.slice(4)}`;
}
