import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import { trimTrailingSlash } from "hono/trailing-slash";
import { endpoints, staticEndpoints } from "./compose/endpoints.ts";
import { AppError } from "./domain/errors.ts";
import { dispatchRecorded } from "./events/dispatch.ts";
import { toErrorResponse } from "./http/error-handler.ts";
import { matchesPath, readPathParams, routePathOf } from "./http/paths.ts";
import { assertWithinRateLimit } from "./http/rate-limit.ts";
import { serve } from "./http/serve.ts";
import { systemClock } from "./platform/clock.ts";
import { consoleLog } from "./platform/log.ts";
import type { Deps } from "./ports/deps.ts";

interface AppEnv {
	Bindings: Env;
	Variables: { deps: Deps; requestId: string };
}

/** Makes the dependencies of one request. Throws when the deployment is not configured. */
export type OpenDeps = (c: Context<AppEnv>) => Deps;

const EXPOSED_HEADERS = [
	"X-Request-Id",
	"X-D1-Bookmark",
	"Retry-After",
	"RateLimit",
	"RateLimit-Policy",
	"ETag",
	"Link",
	"Accept-Ranges",
	"Content-Range",
	"Idempotency-Replayed",
	"WWW-Authenticate",
].join(",");
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;
/** Of answers to preflights alone; what every other answer has is set once, at the end. */
const preflight = cors({ origin: "*", allowMethods: METHODS, maxAge: PREFLIGHT_MAX_AGE_SECONDS });

/** The whole HTTP surface, built once for all requests. */
export function createApp(openDeps: OpenDeps): Hono<AppEnv> {
	const app = new Hono<AppEnv>();
	app.use(async (c, next) => {
		const startedAt = systemClock.now();
		const deps = openDeps(c);
		const requestId = deps.ids.next();
		c.set("deps", deps);
		c.set("requestId", requestId);
		if (c.req.method === "OPTIONS") c.res = (await preflight(c, next)) ?? c.res;
		else await next();
		const { headers } = c.res;
		headers.set("X-Request-Id", requestId);
		headers.set("Access-Control-Allow-Origin", "*");
		headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
		const bookmark = deps.db.bookmark();
		if (bookmark !== null && bookmark !== "") headers.set("X-D1-Bookmark", bookmark);
		deps.log.info("request", {
			request_id: requestId,
			method: c.req.method,
			route: c.req.routePath,
			status: c.res.status,
			ms: systemClock.now() - startedAt,
			d1_calls: deps.db.use.calls,
			d1_rows_read: deps.db.use.rowsRead,
			d1_rows_written: deps.db.use.rowsWritten,
			object_calls: deps.hubs.use.calls,
		});
		if (deps.db.committedEvents.length > 0) deps.background(dispatchRecorded(deps));
	});
	const revalidate = etag();
	app.use("/api/public/*", revalidate);
	for (const { contract } of staticEndpoints) app.use(routePathOf(contract), revalidate);
	for (const path of ["/docs/*", "/reference/*"]) app.use(path, trimTrailingSlash({ alwaysRedirect: true }));
	for (const endpoint of endpoints) {
		const { contract } = endpoint;
		app.on(contract.method.toUpperCase(), routePathOf(contract), (c, next) => {
			const params = readPathParams(c, contract);
			return params === null ? next() : serve(c, endpoint, { deps: c.get("deps"), requestId: c.get("requestId"), params });
		});
	}
	app.notFound(async (c) => {
		// With nothing but the first middleware on a request's way, Hono lets what is thrown here pass that by.
		try {
			if (c.req.path.startsWith("/api/")) await assertWithinRateLimit(c.get("deps"), "general", c.req.raw);
			throw refuseUnknown(c.req.path);
		} catch (error) {
			return answerError(error, c);
		}
	});
	app.onError(answerError);
	return app;
}

function answerError(error: unknown, c: Context<AppEnv>): Response {
	// Without dependencies the deployment itself is wrong, and the log is what its operator has.
	const deps: Deps | undefined = c.get("deps");
	return toErrorResponse(error, {
		log: deps?.log ?? consoleLog,
		requestId: c.get("requestId") ?? "",
		now: (deps?.clock ?? systemClock).now(),
		path: c.req.path,
		baseUrl: deps?.config.publicUrl ?? new URL(c.req.url).origin,
	});
}

/** A path that exists under other methods is 405 and names them; every other one is 404. */
function refuseUnknown(path: string): AppError {
	const methods = new Set(
		endpoints.filter(({ contract }) => matchesPath(contract, path)).map(({ contract }) => contract.method.toUpperCase()),
	);
	if (methods.size === 0)
		return new AppError("NOT_FOUND", { message: `There is nothing at ${path.slice(0, 200)}. GET /openapi.json lists every address.` });
	if (methods.has("GET")) methods.add("HEAD");
	return new AppError("METHOD_NOT_ALLOWED", { headers: { Allow: [...methods, "OPTIONS"].join(", ") } });
}
