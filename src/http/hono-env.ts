import type { MiddlewareHandler } from "hono";
import type { AdminRole } from "../domain/actor.ts";
import type { PublicCtx } from "../ports/deps.ts";

/** What Hono's context carries through the middlewares of a request. */
export interface HonoEnv {
	Bindings: Env;
	Variables: {
		/** The dependencies, and what the request's credential has proved. */
		ctx: PublicCtx;
		/** The role of the request's admin token. */
		adminRole: AdminRole;
		/** The JSON body, parsed by the contract's schema. */
		body: unknown;
	};
}

/**
 * A step in an endpoint's chain. It may parse a part of the request. `in` has the part's types as text, and `out` the types that the
 * contract's schema returns.
 */
export type ChainStep = MiddlewareHandler<
	HonoEnv,
	string,
	{
		in: { param: Record<string, string>; query: Record<string, string | string[]>; header: Record<string, string> };
		out: { param: Record<string, unknown>; query: Record<string, unknown>; header: Record<string, unknown> };
	}
>;
