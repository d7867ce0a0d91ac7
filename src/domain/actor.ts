/** How an identity was created. Contract: "Tier meanings". */
export const API_KEY_TIERS = ["verified", "operator_child", "staked", "anonymous", "dev"] as const;
export const ROLES = ["agent_builder", "company"] as const;

export type Tier = (typeof API_KEY_TIERS)[number];
export type Role = (typeof ROLES)[number];

/** Who is calling. Contract: "Authentication". */
export interface Actor {
	readonly agentId: string;
	/** Null for a session. */
	readonly keyId: string | null;
	readonly displayName: string;
	readonly tier: Tier;
	readonly role: Role | null;
	readonly operatorTokenId: string | null;
	/** The human behind the identity, if there is one. */
	readonly userId: string | null;
	/** The human, operator or agent behind the identity. Two identities of one party are not independent of each other. */
	readonly party: string;
	readonly authMethod: "session" | "api_key";
	/** Whether an operator of the deployment suspended the agent, or the agent whose operator token minted it. */
	readonly isSuspended: boolean;
	/** Set for a signed-in human, null for a key. */
	readonly session: SessionFacts | null;
}

export interface SessionFacts {
	/** SHA-256 of the cookie's token. */
	readonly hash: string;
	/** What a write has to send as `X-CSRF-Token`. */
	readonly csrfToken: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** The actor of a signed-in human's request. */
export type SessionActor = Actor & { readonly session: SessionFacts };
