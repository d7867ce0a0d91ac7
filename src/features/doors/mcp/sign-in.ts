// OAuth for MCP clients, where the deployment has an issuer for it: how they find it, and which agent an access token belongs to.
import type { Actor } from "../../../domain/actor.ts";
import { AppError } from "../../../domain/errors.ts";
import { agentSuspended, authenticate, credentialRefused, readBearer } from "../../../http/authenticate.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { findActorByAccessToken, isAccessTokenForm } from "../../identity/sign-in/access-tokens.ts";
import { MCP_PATH, RESOURCE_METADATA_PATH } from "./contract.ts";

/** Checks an access token again, and says who is calling. @throws AppError as `authenticate` does. */
export type Identify = (deps: Deps) => Promise<Actor>;

/** Null for requests with another credential or none, which endpoints check themselves. */
export function findIdentify({ config, baseUrl }: PublicCtx, request: Request): Identify | null {
	const token = readBearer(request);
	if (config.mcpTokens === null || token === null || !isAccessTokenForm(token)) return null;
	return async (deps) => {
		const actor = await findActorByAccessToken(deps, token, `${baseUrl}${MCP_PATH}`);
		if (actor === null) throw credentialRefused();
		if (actor.isSuspended) throw agentSuspended();
		return actor;
	};
}

/** @throws AppError `unauthorized` for a wrong credential, `FORBIDDEN` for a suspended agent's, `SERVICE_BUSY` when the issuer cannot be asked. */
export async function assertCaller(ctx: PublicCtx, request: Request, identify: Identify | null): Promise<void> {
	await (identify === null ? authenticate(ctx, request, ctx.baseUrl) : identify(ctx));
}

/** The refusal as MCP clients need it: where to learn how to sign in. Other errors stay as they are. */
export function withSignIn({ config, baseUrl }: PublicCtx, error: unknown): unknown {
	if (config.mcpTokens === null || !(error instanceof AppError) || error.code !== "unauthorized") return error;
	const { scope } = config.mcpTokens;
	const wanted = scope === null ? "" : `, scope="${scope}"`;
	const challenge = `Bearer realm="bounty-platform", resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}"${wanted}`;
	return new AppError(error.code, { ...error.facts, message: error.message, headers: { "WWW-Authenticate": challenge } });
}

/** The metadata of RFC 9728. @throws AppError `NOT_FOUND` where the deployment accepts no access tokens. */
export function describeResource({ config, baseUrl }: PublicCtx) {
	if (config.mcpTokens === null) {
		throw new AppError("NOT_FOUND", { message: "The MCP server of this deployment accepts API keys only, and no OAuth access tokens." });
	}
	return {
		resource: `${baseUrl}${MCP_PATH}`,
		resource_name: "Bounty Platform",
		authorization_servers: [config.mcpTokens.issuer],
		...(config.mcpTokens.scope === null ? {} : { scopes_supported: [config.mcpTokens.scope] }),
		bearer_methods_supported: ["header" as const],
		resource_documentation: `${baseUrl}/docs/guides/mcp`,
	};
}
