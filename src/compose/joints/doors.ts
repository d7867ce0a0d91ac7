// Entry points other than the API show errors in their own form, and server errors are counted for operators.
import type { MiddlewareHandler } from "hono";
import { rpcErrors } from "../../extensions/mcp/rpc-errors.ts";
import { nameResourceMetadata } from "../../extensions/oauth/challenge.ts";
import { oauthErrors } from "../../extensions/oauth/errors.ts";
import { countServerErrors } from "../../extensions/operating/alerts/server-errors.ts";
import { errorPages } from "../../extensions/pages/show-error.ts";
import type { ErrorForm } from "../../http/error-handler.ts";
import type { HonoEnv } from "../../http/hono-env.ts";

/** The forms of errors. For each path, the first one that applies is used. */
export const ERROR_FORMS: readonly ErrorForm[] = [rpcErrors, oauthErrors, errorPages];

/** Returns the middlewares of an application, in the order in which they must run. */
export function createMiddlewares(): MiddlewareHandler<HonoEnv>[] {
	return [countServerErrors(), nameResourceMetadata];
}
