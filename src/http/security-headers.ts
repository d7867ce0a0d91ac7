// Headers that keep browsers and caches from doing harm with a response. hono/secure-headers would send HSTS over plain http too.
import type { Context } from "hono";
import type { EndpointContract } from "./endpoint.ts";
import type { ChainStep, HonoEnv } from "./hono-env.ts";

const HSTS = "max-age=31536000";

/** What every response has, refusals and preflights included. */
export async function securityHeaders(c: Context<HonoEnv>, next: () => Promise<void>): Promise<void> {
	await next();
	const { headers } = c.res;
	headers.set("X-Content-Type-Options", "nosniff");
	headers.set("Referrer-Policy", "no-referrer");
	if (c.req.url.startsWith("https:")) headers.set("Strict-Transport-Security", HSTS);
}

/**
 * Keeps caches from storing what is not for everyone, refusals included. A handler that sets `Cache-Control` knows better.
 * With an ETag, a caller's own cache may keep a private response and must ask before each use.
 */
export function cacheControl({ auth, response }: EndpointContract): ChainStep | null {
	const carriesSecret = response.carriesSecret === true;
	if (auth === "none" && !carriesSecret) return null;
	return async function cacheControl(c, next) {
		await next();
		const { headers } = c.res;
		if (headers.has("Cache-Control")) return;
		headers.set("Cache-Control", !carriesSecret && headers.has("ETag") ? "private, no-cache" : "no-store");
	};
}
