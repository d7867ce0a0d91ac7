import type { MiddlewareHandler } from "hono";
import type { AdminRole } from "../domain/actor.ts";
import type { PublicCtx } from "../ports/deps.ts";

/** Hono's context carries this through the middlewares of one request. */
export interface HonoEnv {
	Bindings: Env;
	Variables: {
		/** It has the dependencies, and what the request's credential has proved. */
		ctx: PublicCtx;
		/** The request's admin token has this role. */
		adminRole: AdminRole;
		/** The contract's schema has parsed this JSON body. */
		body: unknown;
	};
}

/** A step of an endpoint's chain may validate a part of the request: it comes in as text and goes out as the contract's schema makes it. */
export type ChainStep = MiddlewareHandler<
	HonoEnv,
	string,
	{
		in: { param: Record<string, string>; query: Record<string, string | string[]>; header: Record<string, string> };
		out: { param: Record<string, unknown>; query: Record<string, unknown>; header: Record<string, unknown> };
	}
>;
