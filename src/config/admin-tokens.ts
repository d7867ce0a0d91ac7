// Parses the secret ADMIN_TOKEN_SHA256, which has the hashes of the tokens of a deployment's operators.
import * as z from "zod";
import { ADMIN_ROLES, type AdminRole } from "../domain/actor.ts";
import { splitList } from "./setting.ts";

export interface AdminToken {
	/** The operator's name in the audit log. */
	readonly actor: string;
	readonly role: AdminRole;
	/** The SHA-256 of the token in lower-case hex. */
	readonly sha256: string;
}

const HASH = /^[0-9a-f]{64}$/i;
const NAMED = new RegExp(`^([a-z0-9][a-z0-9._-]{0,31}):(${ADMIN_ROLES.join("|")}):([0-9a-f]{64})$`, "i");
/** The number of hash digits that name a token without a name of its own. They do not reveal the token. */
const HASH_NAME_LENGTH = 12;

/** The setting is a single hash, whose token may do everything, or a list that gives each token a name and a role. */
export const adminTokens = z
	.string()
	.transform((value, issues) => {
		const tokens = HASH.test(value.trim()) ? [onlyToken(value.trim().toLowerCase())] : splitList(value).map(namedToken);
		if (tokens.length > 0 && tokens.every((token) => token !== null) && isDistinct(tokens)) return tokens;
		issues.addIssue(
			`must be the SHA-256 of the admin token, as 64 hex digits, or a list of <name>:<role>:<SHA-256> with different names and hashes; roles are ${ADMIN_ROLES.join(", ")}`,
		);
		return z.NEVER;
	})
	.default([]);

function onlyToken(sha256: string): AdminToken {
	return { actor: `admin:${sha256.slice(0, HASH_NAME_LENGTH)}`, role: "operate", sha256 };
}

function namedToken(item: string): AdminToken | null {
	const [, name, role, sha256] = NAMED.exec(item) ?? [];
	const adminRole = ADMIN_ROLES.find((candidate) => candidate === role?.toLowerCase());
	if (name === undefined || sha256 === undefined || adminRole === undefined) return null;
	return { actor: `admin:${name.toLowerCase()}`, role: adminRole, sha256: sha256.toLowerCase() };
}

function isDistinct(tokens: readonly AdminToken[]): boolean {
	return [tokens.map(({ actor }) => actor), tokens.map(({ sha256 }) => sha256)].every((list) => new Set(list).size === list.length);
}
