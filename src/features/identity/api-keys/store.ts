import { and, desc, eq, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import { isSuspended } from "../../../db/parties.ts";
import { prepareRead } from "../../../db/prepared.ts";
import { agents, apiKeys } from "../../../db/schema/agents.ts";
import { operatorTokens } from "../../../db/schema/operators.ts";
import { switchesSeen } from "../../../db/seen-switches.ts";
import type { Database } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/**
 * Reads an active key with its agent and the switches, so that a request with a key needs no other look-up. A child's key is active as long
 * as its operator token is.
 */
function activeKeyByHash(query: Database["query"], hash: string | Placeholder | SQL) {
	return query
		.select({
			keyId: sql<string>`${apiKeys.id}`.as("key_id"),
			agentId: sql<string>`${agents.id}`.as("agent_id"),
			displayName: agents.displayName,
			tier: agents.tier,
			role: agents.role,
			operatorTokenId: agents.operatorTokenId,
			userId: agents.userId,
			party: sql<string>`coalesce(${agents.userId}, (
				select coalesce(maker.user_id, maker.id) from agents maker where maker.id = ${operatorTokens.agentId}), ${agents.id})`.as("party"),
			isSuspended: isSuspended(sql`${agents.suspendedAt}`, sql`${operatorTokens.agentId}`).as("is_suspended"),
			lastUsedAt: sql<number | null>`${apiKeys.lastUsedAt}`.as("key_last_used_at"),
			switchesSeen,
		})
		.from(apiKeys)
		.innerJoin(agents, eq(agents.id, apiKeys.agentId))
		.leftJoin(operatorTokens, eq(operatorTokens.id, agents.operatorTokenId))
		.where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), isNull(operatorTokens.revokedAt)));
}

/** Reads the key that a session was opened with, as {@link findActiveKey} reads a presented one. */
export function activeKeyOfSession(query: Database["query"], sessionHash: string) {
	return activeKeyByHash(query, sql`(select hash from api_keys where id = (select key_id from sessions where hash = ${sessionHash}))`);
}

const readActiveKey = prepareRead((query) => activeKeyByHash(query, sql.placeholder("hash")));

export async function findActiveKey(deps: Deps, hash: string) {
	const [[row]] = await deps.db.read(readActiveKey({ hash }));
	return row === undefined ? null : { ...row, isSuspended: row.isSuspended === 1 };
}

/** Reads an active key with its agent, and the ids of all active keys of that agent, in one round trip. */
export async function findKeyHolder(deps: Deps, hash: string) {
	const agentId = sql`(select agent_id from api_keys where hash = ${hash})`;
	const [[row], keys] = await deps.db.query.batch([
		activeKeyByHash(deps.db.query, hash),
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

/** Reads whether a key is in use, or an agent may act: the holder of a signed URL is one or the other. */
export async function isActiveHolder({ db }: Deps, id: string): Promise<boolean> {
	const [row] = await db.query
		.select({ agentId: agents.id })
		.from(agents)
		.leftJoin(operatorTokens, eq(operatorTokens.id, agents.operatorTokenId))
		.where(
			and(
				sql`${agents.id} = coalesce((select agent_id from api_keys where id = ${id} and revoked_at is null), ${id})`,
				isNull(operatorTokens.revokedAt),
				sql`not ${isSuspended(sql`${agents.suspendedAt}`, sql`${operatorTokens.agentId}`)}`,
			),
		);
	return row !== undefined;
}

interface LastUse {
	readonly keyId: string;
	readonly now: number;
}

export async function saveLastUse({ db }: Pick<Deps, "db">, { keyId, now }: LastUse): Promise<void> {
	await db.query.update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, keyId));
}
