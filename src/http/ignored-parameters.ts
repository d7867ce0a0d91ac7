import type { EndpointContract } from "./endpoint.ts";
import type { ChainStep } from "./hono-env.ts";

const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 60;

/** Names the query parameters of a request that its endpoint does not have, so that a misspelt one is noticed. */
export function ignoredParameters({ auth, query }: EndpointContract): ChainStep | null {
	// The query of a signed URL is its credential.
	if (auth === "signed") return null;
	const known = new Set(Object.keys(query?.shape ?? {}));
	return async function ignoredParameters(c, next) {
		await next();
		const { url } = c.req;
		if (!url.includes("?")) return;
		const names = new Set([...new URL(url).searchParams.keys()].filter((name) => !known.has(name)));
		if (names.size > 0) c.res.headers.set("X-Ignored-Parameters", formatNames([...names]));
	};
}

/** Percent-encodes the names, because a header takes fewer characters than a URL. */
function formatNames(names: readonly string[]): string {
	const shown = names.slice(0, MAX_NAMES).map((name) => encodeURIComponent(name.slice(0, MAX_NAME_CHARACTERS).toWellFormed()));
	return [...shown, ...(names.length > MAX_NAMES ? ["..."] : [])].join(", ");
}
