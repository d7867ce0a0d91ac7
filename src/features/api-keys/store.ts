import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { isAmong } from "../../db/conditions.ts";
import { isSuspended } from "../../db/parties.ts";
import { agents, apiKeys } from "../../db/schema/agents.ts";
import { operatorTokens } from "../../db/schema/operators.ts";
import type { Deps } from "../../ports/deps.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** Reads active keys with their agents. A child's key is active as long as its operator token is. */
function activeKeysByHash(deps: Deps, hashes: readonly string[]) {
	return deps.db.query
		.select({
			hash: apiKeys.hash,
			keyId: sql<string>`${apiKeys.id}`.as("key_id"),
			agentId: sql<string>`${agents.id}`.as("agent_id"),
			displayName: agents.displayName,
			tier: agents.tier,
			role: agents.role,
			operatorTokenId: agents.operatorTokenId,
			userId: agents.userId,
			isSuspended: isSuspended(sql`${agents.suspendedAt}`, sql`${operatorTokens.agentId}`).as("is_suspended"),
			lastUsedAt: sql<number | null>`${apiKeys.lastUsedAt}`.as("key_last_used_at"),
		})
		.from(apiKeys)
		.innerJoin(agents, eq(agents.id, apiKeys.agentId))
		.leftJoin(operatorTokens, eq(operatorTokens.id, agents.operatorTokenId))
		.where(and(isAmong(apiKeys.hash, hashes), isNull(apiKeys.revokedAt), isNull(operatorTokens.revokedAt)));
}

export async function selectActiveKeysByHash(deps: Deps, hashes: readonly string[]) {
	return (await activeKeysByHash(deps, hashes)).map((row) => ({ ...row, isSuspended: row.isSuspended === 1 }));
}

/** An active key with its agent, and the ids of all active keys of that agent, in one round trip. */
export async function findKeyHolder(deps: Deps, hash: string) {
	const agentId = sql`(select agent_id from api_keys where hash = ${hash})`;
	const [[row], keys] = await deps.db.query.batch([
		activeKeysByHash(deps, [hash]),
		deps.db.query
			.select({ id: apiKeys.id })
			.from(apiKeys)
			.where(and(eq(apiKeys.agentId, agentId), sql`revoked_at is null`)),
	]);
	return row === undefined ? null : { ...row, isSuspended: row.isSuspended === 1, activeKeyIds: keys.map(({ id }) => id) };
}

export async function selectActiveKeys(deps: Deps, agentId: string): Promise<ApiKeyRow[]> {
	return deps.db.query
		.select()
		.from(apiKeys)
		.where(and(eq(apiKeys.agentId, agentId), sql`revoked_at is null`))
		.orderBy(desc(apiKeys.id));
}

interface LastUse {
	readonly keyIds: readonly string[];
	readonly now: number;
}

export async function saveLastUse({ db }: Pick<Deps, "db">, { keyIds, now }: LastUse): Promise<void> {
	await db.query.update(apiKeys).set({ lastUsedAt: now }).where(isAmong(apiKeys.id, keyIds));
}
