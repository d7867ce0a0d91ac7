// Keeps responses that are the same for everyone in the data centre for a few seconds. hono/cache has no bound of its own on the
// age of what it serves, puts unknown query parameters into its keys and needs a name for each cache.
import { SECOND_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { PublicCtx } from "../ports/deps.ts";
import type { EndpointContract } from "./endpoint.ts";
import type { ChainStep } from "./hono-env.ts";

/** On stored copies only: when the response was made, in milliseconds since the epoch. */
const STORED_AT = "X-Stored-At";

/** Serves a response of `contract.cacheSeconds` at most, or makes one and keeps it. Refusals are never kept. */
export function edgeCache({ path, cacheSeconds }: EndpointContract): ChainStep | null {
	if (cacheSeconds === undefined) return null;
	return async function edgeCache(c, next) {
		const ctx = c.get("ctx");
		const url = ctx.baseUrl + pathWith(path, c.req.valid("param")) + queryOf(c.req.valid("query"));
		const kept = await findKept(ctx, url, cacheSeconds);
		if (kept !== null) return kept;
		await next();
		await keepIfGood(ctx, { url, cacheSeconds }, c.res);
		return undefined;
	};
}

/** {@link edgeCache} for one form of a negotiated response. `variant` names it: the cache does not look at `Vary`. */
export async function serveKept(
	ctx: PublicCtx,
	{ variant, cacheSeconds }: { variant: `/${string}`; cacheSeconds: number },
	make: () => Promise<Response>,
): Promise<Response> {
	const url = ctx.baseUrl + variant;
	const kept = await findKept(ctx, url, cacheSeconds);
	if (kept !== null) return kept;
	const response = await make();
	await keepIfGood(ctx, { url, cacheSeconds }, response);
	return response;
}

async function keepIfGood(ctx: PublicCtx, { url, cacheSeconds }: { url: string; cacheSeconds: number }, response: Response): Promise<void> {
	if (response.status !== 200) return;
	response.headers.set("Cache-Control", `public, max-age=${cacheSeconds}`);
	await keep(ctx, url, response.clone());
}

/** The path as the checked parameters spell it: an id in upper case is the same page. */
function pathWith(path: string, params: Readonly<Record<string, unknown>> = {}): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

/** Only parameters with an effect, in one order, with their defaults. */
function queryOf(query: Readonly<Record<string, unknown>> = {}): string {
	const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
	return `?${new URLSearchParams(given.toSorted())}`;
}

/** The cache forgets late at times, so the age is checked here too. `Age` keeps the reader's own cache from adding to it. */
async function findKept({ edgeCache, clock, log }: PublicCtx, url: string, maxAgeSeconds: number): Promise<Response | null> {
	try {
		const kept = await edgeCache.match(url);
		const ageMs = clock.now() - Number(kept?.headers.get(STORED_AT) ?? 0);
		if (kept === undefined || ageMs >= maxAgeSeconds * SECOND_MS) return null;
		const headers = new Headers(kept.headers);
		for (const name of [STORED_AT, "CF-Cache-Status"]) headers.delete(name);
		headers.set("Age", String(Math.max(0, Math.floor(ageMs / SECOND_MS))));
		return new Response(kept.body, { headers });
	} catch (error) {
		log.error("edge_cache_failed", describeError(error));
		return null;
	}
}

/** The reader waits for it, so that of two requests in a row the second one finds the first one's response. */
async function keep({ edgeCache, clock, log }: PublicCtx, url: string, response: Response): Promise<void> {
	response.headers.set(STORED_AT, String(clock.now()));
	try {
		await edgeCache.put(url, response);
	} catch (error) {
		log.error("edge_cache_failed", describeError(error));
	}
}
