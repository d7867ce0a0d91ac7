import { AppError } from "../../../domain/errors.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { mayTier } from "../agents/rules.ts";
import { noteSwitches } from "../switches/service.ts";
import { findActiveTokenByHash, findCreator } from "./store.ts";

/**
 * Returns the id of an active operator token, and whether the agent that created it is suspended. Returns null if the token is unknown or
 * revoked.
 */
export async function findOperatorToken(deps: Deps, token: string) {
	const [hash, now] = [await sha256Hex(token), deps.clock.now()];
	const row = await findActiveTokenByHash(deps, hash);
	if (row === null) return null;
	const { switchesSeen, ...facts } = row;
	noteSwitches(deps, switchesSeen, now);
	return facts;
}

/**
 * Reads what decides whether the caller may create an operator token. Before it rejects the caller, reads the primary, because a replica
 * may be some seconds behind.
 *
 * @throws AppError `TIER_FORBIDDEN`, or `unauthorized` if another isolate has just revoked the caller's key.
 */
export async function getCreator(ctx: Ctx) {
	const { agentId, keyId } = ctx.actor;
	let creator = await findCreator(ctx, { agentId, keyId });
	if (creator === null || !mayTier(creator.tier, "createOperatorTokens")) {
		ctx.db.refresh();
		creator = await findCreator(ctx, { agentId, keyId });
	}
	if (creator === null) throw credentialRefused();
	if (!mayTier(creator.tier, "createOperatorTokens")) throw new AppError("TIER_FORBIDDEN");
	return creator;
}
