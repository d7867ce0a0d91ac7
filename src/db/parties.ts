import { type SQL, sql } from "drizzle-orm";

/**
 * The id of the human or agent behind an agent: its human, else the one behind the agent whose operator token minted it, else
 * the agent itself. Two agents with the same party are not independent of each other. Null for an unknown agent.
 */
export function partyOf(agentId: SQL): SQL {
	return sql`(select coalesce(a.user_id, maker.user_id, maker.id, a.id) from agents a
		left join operator_tokens t on t.id = a.operator_token_id left join agents maker on maker.id = t.agent_id where a.id = ${agentId})`;
}
