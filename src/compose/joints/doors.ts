// Other doors than the API show its errors in forms of their own, and operators count them.
import type { MiddlewareHandler } from "hono";
import { toRpcRefusal } from "../../extensions/mcp/rpc-errors.ts";
import { MCP_PATH } from "../../extensions/mcp/rules.ts";
import { countServerErrors } from "../../extensions/operating/alerts/server-errors.ts";
import { showError } from "../../extensions/pages/show-error.ts";
import type { ErrorForm } from "../../http/error-handler.ts";
import type { HonoEnv } from "../../http/hono-env.ts";

/** The first form that is for a path is used. */
export const ERROR_FORMS: readonly ErrorForm[] = [
	{ isFor: (path) => path === MCP_PATH, show: (refusal) => toRpcRefusal(refusal) },
	{
		// A browser gets errors as pages outside of the API.
		isFor: (path) => path !== "/api" && !path.startsWith("/api/"),
		async show(refusal, { ctx, request }) {
			if (ctx === undefined) return refusal;
			refusal.headers.set("Vary", "Accept");
			return (await showError(ctx, request, refusal)) ?? refusal;
		},
	},
];

/** Makes the middlewares of one application, which run in this order. */
export function createMiddlewares(): MiddlewareHandler<HonoEnv>[] {
	return [countServerErrors()];
}
