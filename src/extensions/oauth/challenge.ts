import type { Context, Next } from "hono";
import type { HonoEnv } from "../../http/hono-env.ts";
import { MCP_PATH } from "../mcp/rules.ts";
import { RESOURCE_METADATA_PATH, SIGNED_IN_MCP_PATH } from "./rules.ts";

const BEARER = /^Bearer realm="/;

/** Adds to 401 and 403 responses where programs can find out how to sign in (RFC 9728). */
export async function nameResourceMetadata(c: Context<HonoEnv>, next: Next): Promise<void> {
	await next();
	const challenge = c.res.headers.get("WWW-Authenticate");
	if (challenge === null || !BEARER.test(challenge) || c.get("ctx") === undefined) return;
	const { baseUrl } = c.get("ctx");
	const path = c.req.path === MCP_PATH || c.req.path === SIGNED_IN_MCP_PATH ? c.req.path : "";
	// Tools of the MCP server pass on the challenge of the endpoint that they called.
	const own = challenge.replace(/, resource_metadata="[^"]*"/, "");
	c.res.headers.set("WWW-Authenticate", `${own}, resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}${path}"`);
}
