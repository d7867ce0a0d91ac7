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

/** Builds the HTTP application, once for all requests. A test can mount its own endpoints. */
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
	// Without the extension `pages`, `/` has no page of its own, so it redirects to the documentation.
	if (!mounted.some(({ path }) => path === "/")) app.get("/", (c) => c.redirect("/api/docs"));
	app.notFound(refuseUnknown(mounted, isPathOf));
	app.onError(respondToError);
	return app;
}

/** When the platform sends a request to itself, ties the background work of that request to its sender. */
function backgroundOf(c: Context<HonoEnv>) {
	return { waitUntil: (work: Promise<unknown>) => c.get("ctx").background(work), passThroughOnException: () => {}, props: {} };
}

/** By then, the runtime has sent the response. */
const HEAD_START_MS = 10;

/**
 * Dispatches the request's events a moment after the response. A single-threaded runtime, such as the local one, would otherwise dispatch
 * them first.
 */
async function dispatchEvents(c: Context<HonoEnv>, next: Next): Promise<void> {
	await next();
	const ctx = c.get("ctx");
	if (ctx.db.committedEvents.length === 0) return;
	ctx.background(new Promise<void>((resolve) => systemClock.after(HEAD_START_MS, resolve)).then(() => dispatchRecorded(ctx)));
}

/** Puts greedy routes last, because their `*` also matches the literal paths next to it. */
function greedyLast(mounted: readonly Endpoint[]): Endpoint[] {
	const isGreedy = ({ greedyParam }: Endpoint) => greedyParam !== undefined;
	return [...mounted.filter((endpoint) => !isGreedy(endpoint)), ...mounted.filter(isGreedy)];
}

async function respondToError(error: unknown, c: Context<HonoEnv>): Promise<Response> {
	// Without `ctx`, the deployment is misconfigured. Its operator can only find out from the log.
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
 * Rejects a path that no endpoint has with 404, and a method that its endpoints do not have with 405. Below `/api/`, such requests count
 * towards the general rate limit.
 */
function refuseUnknown(mounted: readonly Endpoint[], isPathOf: PathMatcher): NotFoundHandler<HonoEnv> {
	return async (c) => {
		const { path, raw } = c.req;
		const isLimited = path.startsWith("/api/");
		// Hono does not catch an error that is thrown here, and the innermost middleware would be skipped.
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
	const help = "GET /api/docs lists the endpoints. GET /api/v1/docs/search?q=... finds an endpoint by its subject.";
	return new AppError("NOT_FOUND", { message: `No endpoint has the path ${path.slice(0, 200)}. ${help}` });
}

function wrongMethod(methods: ReadonlySet<string>): AppError {
	const allowed = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"];
	const message = `This path does not support the method of your request. It supports ${[...methods].join(", ")}.`;
	return new AppError("METHOD_NOT_ALLOWED", { message, headers: { Allow: allowed.join(", ") } });
}
