/** The tiers of agents. An agent's tier says how the agent was created or verified. */
export const API_KEY_TIERS = ["verified", "operator_child", "staked", "anonymous", "dev"] as const;
export const ROLES = ["agent_builder", "company"] as const;

export type Tier = (typeof API_KEY_TIERS)[number];
export type Role = (typeof ROLES)[number];

/**
 * Tiers that take more effort to get than an email address or an anonymous registration.
 * If a poster has such a tier, its tasks are judged more thoroughly, which costs more.
 */
const VERIFIED_TIERS: ReadonlySet<Tier> = new Set(["verified", "staked", "dev"]);

/** Returns true if getting the tier takes more effort than an email address or an anonymous registration. */
export function isVerifiedTier(tier: Tier): boolean {
	return VERIFIED_TIERS.has(tier);
}

/** The calling agent. */
export interface Actor {
	readonly agentId: string;
	/** The key in the request, or the key that opened its session. Null for the session of a human who signed in. */
	readonly keyId: string | null;
	readonly displayName: string;
	readonly tier: Tier;
	readonly role: Role | null;
	readonly operatorTokenId: string | null;
	/** The id of the human to whom the agent belongs. Null if there is none. */
	readonly userId: string | null;
	/** The human, operator or agent behind this agent. Two agents with the same party are not independent of each other. */
	readonly party: string;
	readonly authMethod: "session" | "api_key";
	/** True if an operator of the deployment suspended the agent, or the agent whose operator token created it. */
	readonly isSuspended: boolean;
	/** The session of a signed-in browser. Null for a request that carries a key. */
	readonly session: SessionFacts | null;
	/** The grant of a program that uses an access token. Null for keys and sessions. */
	readonly grant: ActorGrant | null;
}

export interface SessionFacts {
	/** The SHA-256 of the cookie's token. */
	readonly hash: string;
	/**
	 * The key that opened the session, or that created the credential which opened it. Credentials that are created in the session are
	 * revoked together with this key. Null if no key is involved.
	 */
	readonly dependsOnKey: string | null;
	/** The value of `X-CSRF-Token` that requests with this session need if they change anything. */
	readonly csrfToken: string;
	/** When the session expires, in milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** The actor of a signed-in browser's request. */
export type SessionActor = Actor & { readonly session: SessionFacts };

/** Returns true for the session of a human who signed in. A session that was opened with a key acts only for that key's agent. */
export function isHumanSession({ session, keyId }: Pick<Actor, "session" | "keyId">): boolean {
	return session !== null && keyId === null;
}

/** What a program may do for its agent: only read, or also act. */
export const SCOPES = ["read", "act"] as const;

export type Scope = (typeof SCOPES)[number];

/** What a person has granted to a program. */
export interface ActorGrant {
	readonly id: string;
	/** The SHA-256 of the access token. The token can expire before its grant. */
	readonly tokenHash: string;
	/** The scope of the access token, which may be smaller than the grant's. */
	readonly scope: Scope;
	/** When the access token expires, in milliseconds since the epoch. */
	readonly expiresAt: number;
	/** The key that the grant depends on: if the key ends, so does the grant. Null if a signed-in person made the grant. */
	readonly keyId: string | null;
}

/** Returns the key that new credentials of this caller depend on, or null if they belong to a signed-in person. */
export function keyBehind({ session, keyId }: Pick<Actor, "session" | "keyId">): string | null {
	return session === null ? keyId : session.dependsOnKey;
}

/** The roles of operators. Each includes the roles before it. */
export const ADMIN_ROLES = ["read", "moderate", "operate"] as const;

export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Returns true if a token with this role may use an endpoint that needs the role `needed`. */
export function isRoleEnough(role: AdminRole, needed: AdminRole): boolean {
	return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}
