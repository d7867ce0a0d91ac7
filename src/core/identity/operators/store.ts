import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { isAgentSuspended } from "../../../db/parties.ts";
import { agents } from "../../../db/schema/agents.ts";
import { operatorTokens, operatorUsage } from "../../../db/schema/operators.ts";
import { switchesSeen } from "../../../db/seen-switches.ts";
import type { Deps } from "../../../ports/deps.ts";

/** Reads what decides whether an agent may create an operator token. Returns null if the agent's key with this id is revoked. */
export async function findCreator(deps: Deps, { agentId, keyId }: { agentId: string; keyId: string | null }) {
	const holderId = sql<string>`coalesce(${agents.userId}, ${agents.id})`;
	const isKeyActive = sql`exists (select 1 from api_keys where id = ${keyId} and agent_id = ${agentId} and revoked_at is null)`;
	const [row] = await deps.db.query
		.select({
			tier: agents.tier,
			holderId: holderId.as("creator_holder_id"),
			activeTokens: sql<number>`(select count(*) from operator_tokens where holder_id = ${holderId} and revoked_at is null)`.as(
				"active_tokens",
			),
		})
		.from(agents)
		.where(and(eq(agents.id, agentId), keyId === null ? undefined : isKeyActive));
	return row ?? null;
}

/** The tokens that a caller can manage: all tokens of a holder, or only those that one agent created. */
export interface TokenReach {
	/** The id of the human, or of the agent if no human has claimed it. */
	readonly holderId: string;
	/** The agent that created the tokens. Null means any agent of the holder. */
	readonly agentId: string | null;
}

/** Reads the active tokens that a caller can manage, newest first, each with its usage in the month. */
export async function selectActiveTokens(deps: Deps, { holderId, agentId }: TokenReach, month: string) {
	const isOfAgent = agentId === null ? undefined : eq(operatorTokens.agentId, agentId);
	return deps.db.query
		.select({
			id: operatorTokens.id,
			label: operatorTokens.label,
			prefix: operatorTokens.prefix,
			monthlyQuota: operatorTokens.monthlyQuota,
			childQuotaPct: operatorTokens.childQuotaPct,
			lastUsedAt: operatorTokens.lastUsedAt,
			createdAt: operatorTokens.createdAt,
			used: operatorUsage.used,
		})
		.from(operatorTokens)
		.leftJoin(operatorUsage, and(eq(operatorUsage.operatorTokenId, operatorTokens.id), eq(operatorUsage.month, month)))
		.where(and(eq(operatorTokens.holderId, holderId), isOfAgent, sql`revoked_at is null`))
		.orderBy(desc(operatorTokens.id));
}

export async function findActiveTokenByHash(deps: Deps, hash: string) {
	const [row] = await deps.db.query
		.select({ id: operatorTokens.id, isSuspended: isAgentSuspended(sql`${operatorTokens.agentId}`).as("is_suspended"), switchesSeen })
		.from(operatorTokens)
		.where(and(eq(operatorTokens.hash, hash), isNull(operatorTokens.revokedAt)));
	return row ?? null;
}
