import { parse, serialize } from "hono/utils/cookie";
import { SESSION_TOKEN_PATTERN } from "../domain/credentials.ts";
import { SECOND_MS } from "../platform/clock.ts";

/** Because of the prefix, browsers require Secure, exactly this host, and the path `/`. */
export const SESSION_COOKIE = "__Host-session";
/**
 * A page of another origin cannot send this header with the session's cookie, because no response allows credentials from other origins.
 */
export const CSRF_HEADER = "X-CSRF-Token";

/**
 * Returns true if a request relies on a session cookie, valid or not, because it has no `Authorization` header.
 *
 * @param ownOrigin The API's origin. A cookie counts only if no other origin caused the request.
 */
export function carriesSession(request: Request, ownOrigin: string): boolean {
	if (request.headers.has("Authorization") || !isOwnRequest(request, ownOrigin)) return false;
	return SESSION_TOKEN_PATTERN.test(readCookie(request, SESSION_COOKIE) ?? "");
}

export function readCookie(request: Request, name: string): string | null {
	return parse(request.headers.get("Cookie") ?? "", name)[name] ?? null;
}

/**
 * Returns a cookie that scripts cannot read. Requests from other sites carry it only when someone follows a link. `maxAgeMs` 0 removes the
 * cookie.
 */
export function formatCookie(name: string, value: string, maxAgeMs: number): string {
	const maxAge = Math.floor(maxAgeMs / SECOND_MS);
	return serialize(name, value, { path: "/", httpOnly: true, secure: true, sameSite: "Lax", maxAge });
}

/**
 * Returns true if the browser's headers rule out that another site caused the request. A followed link to a page is allowed, because no
 * script can read the response. Other clients do not send these headers, and have no cookies that a site could abuse.
 */
export function isOwnRequest(request: Request, ownOrigin: string): boolean {
	const origin = request.headers.get("Origin");
	if (origin !== null && origin !== ownOrigin) return false;
	const site = request.headers.get("Sec-Fetch-Site");
	if (site === null || site === "same-origin" || site === "none") return true;
	return (
		isSafeMethod(request) && request.headers.get("Sec-Fetch-Mode") === "navigate" && request.headers.get("Sec-Fetch-Dest") === "document"
	);
}

export function isSafeMethod(request: Request): boolean {
	return request.method === "GET" || request.method === "HEAD";
}
