// Pages load these files: scripts, styles, pictures and the index of the documentation's search.
import type { MiddlewareHandler } from "hono";
import { AppError } from "../domain/errors.ts";
import { WHEEL } from "../domain/packages.ts";
import type { HonoEnv } from "./hono-env.ts";

/** Names contain the content's hash, so the content of a URL never changes. */
const HASHED = "public, max-age=31536000, immutable";
/** Names stay while their content changes, so a browser asks each time, with the ETag that it has. */
const NAMED = "public, no-cache";

/** These URL paths are files of the built site. Each says who may store them for how long. */
export const STATIC_PATHS: Readonly<Record<string, string>> = {
	"/assets/*": HASHED,
	"/console/assets/*": HASHED,
	"/docs/_astro/*": HASHED,
	"/docs/pagefind/*": NAMED,
	"/docs/icon.svg": NAMED,
	"/packages/*": NAMED,
};

/** Leads to the Python package of this deployment. Its file name contains its version. */
export const redirectToWheel: MiddlewareHandler<HonoEnv> = async (c) => c.redirect(`/packages/${WHEEL}`);

/**
 * Serves a file of the built site.
 *
 * @throws AppError `NOT_FOUND` for a path without a file, so that a caller reads the same error as everywhere else.
 */
export function serveStaticFile(cacheControl: string): MiddlewareHandler<HonoEnv> {
	return async (c, next) => {
		const { method, path } = c.req;
		if (method !== "GET" && method !== "HEAD") return next();
		const { assets } = c.get("ctx");
		const file = await assets.find(path.slice(1), { ifNoneMatch: c.req.header("If-None-Match") });
		if (file === null)
			throw new AppError("NOT_FOUND", { message: `No file has the path ${path.slice(0, 200)}. GET /api/docs says what there is.` });
		const response = new Response(method === "HEAD" ? null : file.body, file);
		response.headers.set("Cache-Control", cacheControl);
		return response;
	};
}
