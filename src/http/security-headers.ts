// Sets headers that protect responses in browsers and caches. hono/secure-headers would also send HSTS over plain http.
import type { Context } from "hono";
import type { EndpointContract } from "./endpoint.ts";
import type { ChainStep, HonoEnv } from "./hono-env.ts";
import { sharedHeaders } from "./shared-responses.ts";

const HSTS = "max-age=31536000";

/**
 * Sets the headers of every response, including errors and preflights. Without `Cache-Control`, Cloudflare would store most of them for
 * minutes or hours. The `Referrer-Policy` of a handler takes precedence.
 */
export async function securityHeaders(c: Context<HonoEnv>, next: () => Promise<void>): Promise<void> {
	await next();
	const { headers } = c.res;
	headers.set("X-Content-Type-Options", "nosniff");
	if (!headers.has("Referrer-Policy")) headers.set("Referrer-Policy", "no-referrer");
	if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
	if (c.req.url.startsWith("https:")) headers.set("Strict-Transport-Security", HSTS);
}

/**
 * Returns the step that says in `Cache-Control` who may store the response. Unless the response is shared, the `Cache-Control` of its
 * handler takes precedence. A private response with an ETag may be in the caller's own cache, which must revalidate it before each use.
 */
export function cacheControl(contract: EndpointContract): ChainStep {
	const { shared } = contract;
	return async function cacheControl(c, next) {
		await next();
		const { headers, status } = c.res;
		const isShared = shared !== undefined && (status === 200 || status === 304);
		const lifetime = isShared ? sharedHeaders(shared, c.req.valid("param")) : privateHeaders(contract, headers);
		for (const [name, value] of Object.entries(lifetime)) if (isShared || !headers.has(name)) headers.set(name, value);
	};
}

function privateHeaders({ auth, response }: EndpointContract, headers: Headers): Record<string, string> {
	const isKept = auth !== "none" && response.carriesSecret !== true && headers.has("ETag");
	return { "Cache-Control": isKept ? "private, no-cache" : "no-store" };
}
