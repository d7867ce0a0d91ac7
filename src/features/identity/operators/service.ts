import { sha256Hex } from "../../../platform/crypto.ts";
import type { Deps } from "../../../ports/deps.ts";
import { noteSwitches } from "../switches/service.ts";
import { findActiveTokenByHash } from "./store.ts";

/** Returns the id of an active token and whether its agent is suspended. Returns null when the token is unknown or revoked. */
export async function findOperatorToken(deps: Deps, token: string) {
	const [hash, now] = [await sha256Hex(token), deps.clock.now()];
	const found = await findActiveTokenByHash(deps, hash);
	if (found === null) return null;
	const { switchesSeen, ...facts } = found;
	noteSwitches(deps, switchesSeen, now);
	return facts;
}
