import { eq, sql } from "drizzle-orm";
import { isAgentSuspended } from "../../db/parties.ts";
import { agents } from "../../db/schema/agents.ts";
import { usedChallenges } from "../../db/schema/open-registration.ts";
import { passkeys } from "../../db/schema/passkeys.ts";
import { users } from "../../db/schema/users.ts";
import type { Deps } from "../../ports/deps.ts";

export type PasskeyRow = typeof passkeys.$inferSelect;

/** Reads the human behind an agent. `ownAgentId` is that human's own agent. Without a human, everything except the tier is null. */
export async function findHumanBehind(deps: Deps, agentId: string) {
	const [row] = await deps.db.query
		.select({
			tier: agents.tier,
			userId: agents.userId,
			ownAgentId: sql<string | null>`${users.agentId}`.as("own_agent_id"),
			issuer: users.issuer,
		})
		.from(agents)
		.leftJoin(users, eq(users.id, agents.userId))
		.where(eq(agents.id, agentId));
	return row ?? null;
}

/** Reads a person's passkeys, the oldest first. */
export async function selectPasskeys(deps: Deps, userId: string): Promise<PasskeyRow[]> {
	return deps.db.query.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(passkeys.id);
}

export async function isChallengeUsed(deps: Deps, nonce: string): Promise<boolean> {
	const rows = await deps.db.query.select({ nonce: usedChallenges.nonce }).from(usedChallenges).where(eq(usedChallenges.nonce, nonce));
	return rows.length > 0;
}

export async function isCredentialKnown(deps: Deps, credentialId: string): Promise<boolean> {
	return (await findPasskey(deps, credentialId)) !== null;
}

/** Reads a passkey by its credential id, with the identity that it signs in. */
export async function findPasskey(deps: Deps, credentialId: string) {
	const [row] = await deps.db.query
		.select({
			id: passkeys.id,
			userId: passkeys.userId,
			publicKey: passkeys.publicKey,
			counter: passkeys.counter,
			dependsOnKey: passkeys.dependsOnKey,
			agentId: users.agentId,
			displayName: agents.displayName,
			tier: agents.tier,
			isSuspended: isAgentSuspended(sql`${agents.id}`).as("is_suspended"),
		})
		.from(passkeys)
		.innerJoin(users, eq(users.id, passkeys.userId))
		.innerJoin(agents, eq(agents.id, users.agentId))
		.where(eq(passkeys.credentialId, credentialId));
	return row ?? null;
}

export async function hasActiveKey(deps: Deps, agentId: string): Promise<boolean> {
	const rows = await deps.db.query.all(sql`select 1 as found from api_keys where agent_id = ${agentId} and revoked_at is null limit 1`);
	return rows.length > 0;
}
