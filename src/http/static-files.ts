// The static files that pages load: scripts, styles, pictures and the documentation's search index.
import type { MiddlewareHandler } from "hono";
import { AppError } from "../domain/errors.ts";
import type { HonoEnv } from "./hono-env.ts";

/** For files whose names contain a hash of their content, so that the content of a URL never changes. */
const HASHED = "public, max-age=31536000, immutable";
/** For files that keep their name when their content changes. Browsers revalidate them each time, with the ETag. */
const NAMED = "public, no-cache";

/** URL paths of the built site's files, and how long they may be cached. */
export const STATIC_PATHS: Readonly<Record<string, string>> = {
	"/assets/*": HASHED,
	"/console/assets/*": HASHED,
	"/docs/_astro/*": HASHED,
	"/docs/pagefind/*": NAMED,
	"/docs/pictures/*": NAMED,
	"/docs/icon.svg": NAMED,
};

/**
 * Serves a file of the built site.
 *
 * @throws AppError `NOT_FOUND` if the file does not exist, so that the error is the same as everywhere else.
 */
export function serveStaticFile(cacheControl: string): MiddlewareHandler<HonoEnv> {
	return async (c, next) => {
		const { method, path } = c.req;
		if (method !== "GET" && method !== "HEAD") return next();
		const { assets } = c.get("ctx");
		const file = await assets.find(path.slice(1));
		if (file === null)
			throw new AppError("NOT_FOUND", { message: `There is no file at ${path.slice(0, 200)}. GET /api/docs lists the endpoints.` });
		const isCurrent = isNamed(file.headers.get("ETag"), c.req.header("If-None-Match"));
		if (isCurrent) await file.body?.cancel();
		const response = isCurrent
			? new Response(null, { status: 304, headers: file.headers })
			: new Response(method === "HEAD" ? null : file.body, file);
		response.headers.set("Cache-Control", cacheControl);
		return response;
	};
}

/** Returns true if `If-None-Match` is `*` or a list with this ETag. The static files binding only compares a single ETag. */
function isNamed(etag: string | null, condition: string | undefined): boolean {
	if (condition === undefined || etag === null) return false;
	if (condition.trim() === "*") return true;
	const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
	return condition.split(",").some((tag) => opaque(tag) === opaque(etag));
}
