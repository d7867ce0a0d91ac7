import type { Context, Next } from "hono";
import { credentialRefused } from "../../http/authenticate.ts";
import type { HonoEnv } from "../../http/hono-env.ts";
import { MCP_PATH } from "../mcp/rules.ts";
import { RESOURCE_METADATA_PATH, SIGNED_IN_MCP_PATH } from "./rules.ts";

const BEARER = /^Bearer realm="/;

/** Refuses everything at the MCP server for hosted clients that has no credential. Such a client begins to sign in then. */
export async function requireCredential(c: Context<HonoEnv>, next: Next): Promise<void> {
	const isOpen = c.req.path !== SIGNED_IN_MCP_PATH || c.req.method === "OPTIONS" || c.req.raw.headers.has("Authorization");
	if (!isOpen) throw credentialRefused();
	await next();
}

/** Tells programs that got 401 or 403 where they learn to sign in (RFC 9728). */
export async function nameResourceMetadata(c: Context<HonoEnv>, next: Next): Promise<void> {
	await next();
	const challenge = c.res.headers.get("WWW-Authenticate");
	if (challenge === null || !BEARER.test(challenge) || c.get("ctx") === undefined) return;
	const { baseUrl } = c.get("ctx");
	const path = c.req.path === MCP_PATH || c.req.path === SIGNED_IN_MCP_PATH ? c.req.path : "";
	c.res.headers.set("WWW-Authenticate", `${challenge}, resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}${path}"`);
}
