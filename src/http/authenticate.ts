import type { Actor, Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import { findActorByKey } from "../features/api-keys/service.ts";

/**
 * Who is calling, by the `Authorization` header. Contract: "Authentication".
 *
 * @throws AppError `unauthorized` when the key is missing, malformed, unknown or revoked.
 */
export async function authenticate(deps: Deps, request: Request): Promise<Actor> {
	const match = /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "");
	if (match?.[1] === undefined) throw new AppError("unauthorized", { headers: CHALLENGE });
	const actor = await findActorByKey(deps, match[1]);
	if (actor === null) throw new AppError("unauthorized", { headers: CHALLENGE });
	return actor;
}

const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="bounty-platform"' };
