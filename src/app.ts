import { type Context, Hono, type Next, type NotFoundHandler } from "hono";
import { trimTrailingSlash } from "hono/trailing-slash";
import { createMiddlewares, ERROR_FORMS } from "#platform";
import { endpoints } from "./compose/endpoints.ts";
import { nextActionsOf } from "./compose/next-actions.ts";
import { AppError } from "./domain/errors.ts";
import { dispatchRecorded } from "./events/dispatch.ts";
import { chainOf } from "./http/chain.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { toErrorResponse } from "./http/error-handler.ts";
import type { HonoEnv } from "./http/hono-env.ts";
import {
	bookmark,
	cors,
	logRequest,
	type OpenDeps,
	openRequest,
	refuseForeignPages,
	requestId,
	requireHttps,
	type SendToSelf,
} from "./http/middlewares.ts";
import { createPathMatcher, type PathMatcher, routePathOf } from "./http/paths.ts";
import { assertWithinRateLimit, policyOf } from "./http/rate-limit.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { STATIC_PATHS, serveStaticFile } from "./http/static-files.ts";
import { systemClock } from "./platform/clock.ts";
import { randomFraction } from "./platform/crypto.ts";
import { consoleLog } from "./platform/log.ts";
import type { PublicCtx } from "./ports/deps.ts";

/** Builds the HTTP application. The Worker builds it once for all requests. Tests can pass their own endpoints. */
export function createApp(openDeps: OpenDeps, mounted: readonly Endpoint[] = endpoints): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	const isPathOf = createPathMatcher(mounted);
	const sendToSelf: SendToSelf = async (request, c) => app.fetch(request, c.env, backgroundOf(c));
	app.use(
		securityHeaders,
		openRequest(openDeps, sendToSelf),
		dispatchEvents,
		logRequest,
		...createMiddlewares(),
		requestId,
		cors,
		requireHttps,
		refuseForeignPages,
		bookmark,
	);
	for (const [path, cacheControl] of Object.entries(STATIC_PATHS)) app.use(path, serveStaticFile(cacheControl));
	for (const path of ["/docs/*", "/reference/*", "/console/*"]) app.use(path, trimTrailingSlash({ alwaysRedirect: true }));
	for (const endpoint of greedyLast(mounted)) {
		app.on(endpoint.method.toUpperCase(), [routePathOf(endpoint)], ...chainOf(endpoint, isPathOf));
	}
	// Without the extension `pages`, no endpoint has the path `/`, so it redirects to the list of endpoints.
	if (!mounted.some(({ path }) => path === "/")) app.get("/", (c) => c.redirect("/api/docs"));
	app.notFound(refuseUnknown(mounted, isPathOf));
	app.onError(respondToError);
	return app;
}

/** If the platform sends a request to itself, the background work of that request becomes background work of the sender. */
function backgroundOf(c: Context<HonoEnv>) {
	return { waitUntil: (work: Promise<unknown>) => c.get("ctx").background(work), passThroughOnException: () => {}, props: {} };
}

/** The time after which the runtime has sent the response. */
const HEAD_START_MS = 10;

/**
 * Dispatches the request's events a moment after the response. Without this delay, a single-threaded runtime, such as the local one, would
 * dispatch them before it sends the response.
 */
async function dispatchEvents(c: Context<HonoEnv>, next: Next): Promise<void> {
	await next();
	const ctx = c.get("ctx");
	if (ctx.db.committedEvents.length === 0) return;
	ctx.background(new Promise<void>((resolve) => systemClock.after(HEAD_START_MS, resolve)).then(() => dispatchRecorded(ctx)));
}

/** Puts endpoints with a greedy parameter last, because their `*` also matches the paths of other endpoints. */
function greedyLast(mounted: readonly Endpoint[]): Endpoint[] {
	const isGreedy = ({ greedyParam }: Endpoint) => greedyParam !== undefined;
	return [...mounted.filter((endpoint) => !isGreedy(endpoint)), ...mounted.filter(isGreedy)];
}

async function respondToError(error: unknown, c: Context<HonoEnv>): Promise<Response> {
	// If there is no `ctx`, the deployment is not configured correctly. The response does not say so, but the log does.
	const ctx: PublicCtx | undefined = c.get("ctx");
	const refusal = toErrorResponse(error, {
		log: ctx?.log ?? consoleLog,
		requestId: ctx?.requestId ?? "",
		now: (ctx?.clock ?? systemClock).now(),
		path: c.req.path,
		random: ctx?.random ?? randomFraction,
		findNextActions: ({ code, facts: { about, reason } }) =>
			nextActionsOf(code, { baseUrl: ctx?.baseUrl ?? new URL(c.req.url).origin, path: c.req.path, about, reason }),
	});
	const form = ERROR_FORMS.find(({ isFor }) => isFor(c.req.path));
	return form === undefined ? refusal : form.show(refusal, { ctx, request: c.req.raw });
}

/**
 * Returns 404 for a path that no endpoint has, and 405 for a method that no endpoint with the path has. Below `/api/`, such requests count
 * towards the general rate limit.
 */
function refuseUnknown(mounted: readonly Endpoint[], isPathOf: PathMatcher): NotFoundHandler<HonoEnv> {
	return async (c) => {
		const { path, raw } = c.req;
		const isLimited = path.startsWith("/api/");
		// Hono does not catch an error of this handler, so the innermost middleware would not see the response.
		try {
			if (isLimited) await assertWithinRateLimit(c.get("ctx"), "general", raw);
		} catch (error) {
			return respondToError(error, c);
		}
		const methods = new Set(mounted.filter((endpoint) => isPathOf(endpoint, path)).map(({ method }) => method.toUpperCase()));
		const response = await respondToError(methods.size > 0 ? wrongMethod(methods) : unknownPath(path), c);
		if (isLimited) response.headers.set("RateLimit-Policy", policyOf("general"));
		return response;
	};
}

function unknownPath(path: string): AppError {
	const help = "GET /api/docs lists the endpoints. GET /api/v1/docs/search?q=... finds endpoints by topic.";
	return new AppError("NOT_FOUND", { message: `No endpoint has the path ${path.slice(0, 200)}. ${help}` });
}

function wrongMethod(methods: ReadonlySet<string>): AppError {
	const allowed = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"];
	const message = `This path does not support the method of your request. It supports ${[...methods].join(", ")}.`;
	return new AppError("METHOD_NOT_ALLOWED", { message, headers: { Allow: allowed.join(", ") } });
}
