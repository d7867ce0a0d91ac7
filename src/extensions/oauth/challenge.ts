import type { Context, Next } from "hono";
import type { HonoEnv } from "../../http/hono-env.ts";
import { MCP_PATH } from "../mcp/rules.ts";
import { RESOURCE_METADATA_PATH, SIGNED_IN_MCP_PATH } from "./rules.ts";

const BEARER = /^Bearer realm="/;

/** Tells programs that got 401 or 403 where they learn to sign in (RFC 9728). */
export async function nameResourceMetadata(c: Context<HonoEnv>, next: Next): Promise<void> {
	await next();
	const challenge = c.res.headers.get("WWW-Authenticate");
	if (challenge === null || !BEARER.test(challenge) || c.get("ctx") === undefined) return;
	const { baseUrl } = c.get("ctx");
	const path = c.req.path === MCP_PATH || c.req.path === SIGNED_IN_MCP_PATH ? c.req.path : "";
	// A tool of the MCP server passes on the challenge of the endpoint that it has called.
	const own = challenge.replace(/, resource_metadata="[^"]*"/, "");
	c.res.headers.set("WWW-Authenticate", `${own}, resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}${path}"`);
}
