// Other doors than the API show its errors in forms of their own, and operators count them.
import type { MiddlewareHandler } from "hono";
import { rpcErrors } from "../../extensions/mcp/rpc-errors.ts";
import { nameResourceMetadata } from "../../extensions/oauth/challenge.ts";
import { oauthErrors } from "../../extensions/oauth/errors.ts";
import { countServerErrors } from "../../extensions/operating/alerts/server-errors.ts";
import { errorPages } from "../../extensions/pages/show-error.ts";
import type { ErrorForm } from "../../http/error-handler.ts";
import type { HonoEnv } from "../../http/hono-env.ts";

/** The first form that is for a path is used. */
export const ERROR_FORMS: readonly ErrorForm[] = [rpcErrors, oauthErrors, errorPages];

/** Makes the middlewares of one application, which run in this order. */
export function createMiddlewares(): MiddlewareHandler<HonoEnv>[] {
	return [countServerErrors(), nameResourceMetadata];
}
