// The middlewares around every endpoint, in the order of src/app.ts.
import type { Context, MiddlewareHandler, Next } from "hono";
import { cors as honoCors } from "hono/cors";
import { AppError } from "../domain/errors.ts";
import { systemClock } from "../platform/clock.ts";
import { isLoopback } from "../platform/outbound.ts";
import type { DatabaseUse } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";
import type { Hubs } from "../ports/hubs.ts";
import type { HonoEnv } from "./hono-env.ts";
import { networkOf } from "./networks.ts";
import { findOwnRequest } from "./own-requests.ts";
import { isSafeMethod } from "./session-cookie.ts";
import { isShared } from "./shared-responses.ts";

/** Creates the dependencies of a request. Throws if the deployment is misconfigured. */
export type OpenDeps = (c: Context<HonoEnv>) => Deps;

/** Sends another request through the application, on behalf of the request of `c`. */
export type SendToSelf = (request: Request, c: Context<HonoEnv>) => Promise<Response>;

/** Gives the request its dependencies, its id and the origin for links. */
export function openRequest(openDeps: OpenDeps, sendToSelf: SendToSelf): MiddlewareHandler<HonoEnv> {
	return async function openRequest(c, next) {
		const deps = openDeps(c);
		const baseUrl = deps.config.publicUrl ?? originOf(c.req.url);
		const network = networkOf(c.req.header("CF-Connecting-IP") ?? null);
		const requestId = deps.ids.next();
		c.set("ctx", {
			...deps,
			hubs: forRequest(deps.hubs, requestId),
			requestId,
			baseUrl,
			network,
			sendToSelf: (request) => sendToSelf(request, c),
		});
		await next();
	};
}

/** Passes the request's id to Task objects, because log lines about an evaluation that a verb starts contain the id. */
function forRequest(hubs: Hubs, requestId: string): Hubs {
	const callTask: Hubs["callTask"] = (taskId, verb, call) => hubs.callTask(taskId, verb, { ...call, requestId });
	return { ...hubs, callTask };
}

/**
 * Rejects plain http in production, because credentials would travel in clear text. A GET or HEAD is redirected. Anything else gets an
 * error, so that the client learns that it has already sent its request in the clear. The target of the redirect never comes from the Host
 * header.
 */
export async function requireHttps(c: Context<HonoEnv>, next: Next): Promise<Response | undefined> {
	const { config, baseUrl } = c.get("ctx");
	if (config.environment === "development" || !c.req.url.startsWith("http:")) {
		await next();
		return undefined;
	}
	const target = baseUrl + c.req.url.slice(originOf(c.req.url).length);
	if (isSafeMethod(c.req.raw)) return c.redirect(target, 308);
	throw new AppError("BAD_REQUEST", {
		message: `This API does not accept requests over plain http. Send this request to ${baseUrl} instead.`,
	});
}

/**
 * In development, rejects changes that another website's page requests. Any page that a developer visits can send requests to loopback, and
 * could reach the developer's other services through webhooks.
 *
 * @throws AppError `FORBIDDEN`.
 */
export async function refuseForeignPages(c: Context<HonoEnv>, next: Next): Promise<void> {
	const { config, baseUrl } = c.get("ctx");
	const origin = c.req.header("Origin");
	const isForeign = origin !== undefined && origin !== baseUrl && !isLoopbackOrigin(origin);
	if (isForeign && config.environment === "development" && !isSafeMethod(c.req.raw)) {
		throw new AppError("FORBIDDEN", {
			message: `In development, the platform rejects changes that pages of other origins request. Open the page at ${baseUrl}, or send the request without an Origin header.`,
		});
	}
	await next();
}

function isLoopbackOrigin(origin: string): boolean {
	return URL.canParse(origin) && isLoopback(new URL(origin).hostname);
}

/** Extracts the origin from a URL. The runtime has normalized the URL, so it needs no parsing. */
function originOf(url: string): string {
	return url.slice(0, url.indexOf("/", url.indexOf("//") + 2));
}

/** A request that takes longer is always logged. */
const SLOW_MS = 1_000;

/**
 * Writes a data point and a log line for each request, with the route but never the URL, a key or a body. With `LOG_SAMPLE`, only a sample
 * of fast, successful reads is logged, because on a busy platform, the log costs more than the requests.
 */
export async function logRequest(c: Context<HonoEnv>, next: Next): Promise<void> {
	const startedAt = systemClock.now();
	await next();
	const { log, metrics, requestId, db, search, hubs, config, random } = c.get("ctx");
	const { method, routePath: route } = c.req;
	const { status } = c.res;
	const ms = systemClock.now() - startedAt;
	const work = { ...sumUse(db.use, search?.use), object_calls: hubs.use.calls };
	metrics.write("request", { method, route, status_class: `${Math.floor(status / 100)}xx`, status, ms, ...work });
	const isKept = config.logSample === 1 || status >= 400 || ms >= SLOW_MS || !isSafeMethod(c.req.raw);
	if (!isKept && random() * config.logSample >= 1) return;
	const sample = isKept ? {} : { sample: config.logSample };
	log.info("request", { request_id: requestId, method, route, status, ms, ...work, ...sample });
}

/** Sums the calls and rows of all databases that a request uses. */
function sumUse(...uses: readonly (DatabaseUse | undefined)[]) {
	const sum = (numberOf: (use: DatabaseUse) => number) => uses.reduce((total, use) => total + (use === undefined ? 0 : numberOf(use)), 0);
	return {
		d1_calls: sum(({ calls }) => calls),
		d1_rows_read: sum(({ rowsRead }) => rowsRead),
		d1_rows_written: sum(({ rowsWritten }) => rowsWritten),
	};
}

/** Sends the caller the request id that is in the log. hono/request-id would accept an id from the caller. */
export async function requestId(c: Context<HonoEnv>, next: Next): Promise<void> {
	await next();
	c.res.headers.set("X-Request-Id", c.get("ctx").requestId);
}

const EXPOSED_HEADERS = [
	"X-Request-Id",
	"X-D1-Bookmark",
	"Retry-After",
	"RateLimit",
	"RateLimit-Policy",
	"ETag",
	"X-Ignored-Parameters",
	"Link",
	"Accept-Ranges",
	"Content-Range",
	"Content-Disposition",
	"Idempotency-Replayed",
	"WWW-Authenticate",
].join(",");
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;
const preflight = honoCors({
	origin: "*",
	allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
	maxAge: PREFLIGHT_MAX_AGE_SECONDS,
});

/**
 * Allows requests from any origin. Uses Hono's middleware only for preflights, because it would copy every other response to set headers.
 */
export async function cors(c: Context<HonoEnv>, next: Next): Promise<void> {
	if (c.req.method === "OPTIONS") c.res = (await preflight(c, next)) ?? c.res;
	else await next();
	c.res.headers.set("Access-Control-Allow-Origin", "*");
	c.res.headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
}

/** Chooses where the reads of a request start. A write reads from the primary, because its decisions depend on what it reads. */
export function readBookmark(request: Request): D1SessionBookmark | D1SessionConstraint {
	if (!isSafeMethod(request)) return "first-primary";
	const bookmark = request.headers.get("X-D1-Bookmark");
	if (bookmark !== null && /^[0-9a-f]{1,32}(-[0-9a-f]{1,64}){1,4}$/.test(bookmark)) return bookmark;
	// MCP clients keep no bookmarks, and each call must see what the previous one wrote.
	return findOwnRequest(request) === null ? "first-unconstrained" : "first-primary";
}

/**
 * Sends the client a bookmark, so that its next request reads data at least as new as this request did. Shared responses have no bookmark,
 * because caches would give the same old one to everyone.
 */
export async function bookmark(c: Context<HonoEnv>, next: Next): Promise<void> {
	await next();
	if (isShared(c.res)) return;
	const newBookmark = c.get("ctx").db.bookmark();
	if (newBookmark !== null && newBookmark !== "") c.res.headers.set("X-D1-Bookmark", newBookmark);
}
