import type { MiddlewareHandler } from "hono";
import type { PublicCtx } from "../ports/deps.ts";

/** What Hono's context carries through the middlewares of one request. */
export interface HonoEnv {
	Bindings: Env;
	Variables: {
		/** The dependencies, and what the credential of the request has proved. */
		ctx: PublicCtx;
		/** The JSON body, as the contract's schema has parsed it. */
		body: unknown;
	};
}

/** What the steps before may have validated: it came in as text, and went out as the contract's schema has made it. */
interface ValidatedParts {
	in: { param: Record<string, string>; query: Record<string, string | string[]>; header: Record<string, string> };
	out: { param: Record<string, unknown>; query: Record<string, unknown>; header: Record<string, unknown> };
}

/** One step of an endpoint's chain. */
export type ChainStep = MiddlewareHandler<HonoEnv, string, ValidatedParts>;
