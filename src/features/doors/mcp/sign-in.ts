// MCP clients can sign in with OAuth if the deployment has an issuer for it.
import type { Actor } from "../../../domain/actor.ts";
import { AppError } from "../../../domain/errors.ts";
import { agentSuspended, authenticate, credentialRefused, readBearer } from "../../../http/authenticate.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { findActorByAccessToken, isAccessTokenForm } from "../../identity/sign-in/access-tokens.ts";
import { MCP_PATH, RESOURCE_METADATA_PATH } from "./rules.ts";

/** Checks an access token again, and identifies the caller. @throws AppError as `authenticate` does. */
export type Identify = (deps: Deps) => Promise<Actor>;

/** Returns null for requests with another credential or none, which endpoints check themselves. */
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

/** Checks the credential of a request. @throws AppError `unauthorized` for a wrong credential, `FORBIDDEN` for a suspended agent's, `SERVICE_BUSY` when the issuer cannot be asked. */
export async function assertCaller(ctx: PublicCtx, request: Request, identify: Identify | null): Promise<void> {
	await (identify === null ? authenticate(ctx, request, ctx.baseUrl) : identify(ctx));
}

/** Tells MCP clients in the error where to learn how to sign in. Other errors stay as they are. */
export function withSignIn({ config, baseUrl }: PublicCtx, error: unknown): unknown {
	if (config.mcpTokens === null || !(error instanceof AppError) || error.code !== "unauthorized") return error;
	const { scope } = config.mcpTokens;
	const wanted = scope === null ? "" : `, scope="${scope}"`;
	const challenge = `Bearer realm="bounty-platform", resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}"${wanted}`;
	return new AppError(error.code, { ...error.facts, message: error.message, headers: { "WWW-Authenticate": challenge } });
}
