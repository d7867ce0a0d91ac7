import { isLastUseStale } from "../../core/identity/api-keys/rules.ts";
import { type ReadActor, recallActor } from "../../core/identity/api-keys/service.ts";
import { isPossibleAccessToken } from "../../domain/credentials.ts";
import type { BearerKind } from "../../ports/joints.ts";
import { findGrantHolder, findToken, saveGrantUse } from "./store.ts";

const readActor: ReadActor = async (deps, hash) => {
	const row = await findToken(deps, hash);
	if (row === null) return null;
	const { grantId, scope, expiresAt, grantKeyId, lastUsedAt, switchesSeen, ...facts } = row;
	const grant = { id: grantId, tokenHash: hash, scope, expiresAt, keyId: grantKeyId };
	return {
		actor: { ...facts, keyId: null, authMethod: "api_key", session: null, grant },
		switchesSeen,
		saveUse(now) {
			if (isLastUseStale(lastUsedAt, now)) deps.background(saveGrantUse({ db: deps.db.fork() }, { grantId, now }));
		},
	};
};

/** A program sends its access token in the same way as a key, and the directory looks it up in the same way. */
export const accessTokens: BearerKind = {
	isPossible: isPossibleAccessToken,
	findActor: (deps, token) => recallActor(deps, token, readActor),
	findHolder: findGrantHolder,
};
