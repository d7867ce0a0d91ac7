// Finds the agent behind a key, for requests that carry the key and for sessions that were opened with it.
import { and, eq, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";
import { isSuspended } from "./parties.ts";
import { agents, apiKeys } from "./schema/agents.ts";
import { operatorTokens } from "./schema/operators.ts";
import { switchesSeen } from "./seen-switches.ts";

/** The columns about the agent behind a bearer credential. The query must join `agents`, and left join `operator_tokens`. */
export const bearerColumns = {
	agentId: sql<string>`${agents.id}`.as("agent_id"),
	displayName: agents.displayName,
	tier: agents.tier,
	role: agents.role,
	operatorTokenId: agents.operatorTokenId,
	userId: agents.userId,
	party: sql<string>`coalesce(${agents.userId}, (
		select coalesce(maker.user_id, maker.id) from agents maker where maker.id = ${operatorTokens.agentId}), ${agents.id})`.as("party"),
	isSuspended: isSuspended(sql`${agents.suspendedAt}`, sql`${operatorTokens.agentId}`).as("is_suspended"),
	switchesSeen,
};

/**
 * Reads an active key with its agent and the switches, so that a request with a key needs no other lookup. If an operator token created the
 * agent, the key is active only while the token is.
 */
export function activeKeyByHash(query: Database["query"], hash: string | Placeholder | SQL) {
	return query
		.select({
			keyId: sql<string>`${apiKeys.id}`.as("key_id"),
			...bearerColumns,
			lastUsedAt: sql<number | null>`${apiKeys.lastUsedAt}`.as("key_last_used_at"),
		})
		.from(apiKeys)
		.innerJoin(agents, eq(agents.id, apiKeys.agentId))
		.leftJoin(operatorTokens, eq(operatorTokens.id, agents.operatorTokenId))
		.where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), isNull(operatorTokens.revokedAt)));
}
