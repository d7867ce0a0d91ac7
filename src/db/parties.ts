import { type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../ports/database.ts";
import { guard } from "./commit.ts";

/**
 * Returns the condition that an agent counts as suspended: it was suspended itself, or the agent that created its operator token was.
 * Otherwise a suspended agent could continue with the agents of its fleet.
 *
 * @param makerId The agent that created the operator token, or null.
 */
export function isSuspended(suspendedAt: SQL, makerId: SQL): SQL<boolean> {
	return sql<number>`(${suspendedAt} is not null
		or coalesce((select maker.suspended_at from agents maker where maker.id = ${makerId}), 0) > 0)`.mapWith(Boolean);
}

/** Returns the condition that the agent with the given id counts as suspended, as in {@link isSuspended}. */
export function isAgentSuspended(agentId: SQL): SQL<boolean> {
	const maker = sql`(select t.agent_id from operator_tokens t where t.id = a.operator_token_id)`;
	return sql<number>`exists (select 1 from agents a where a.id = ${agentId} and ${isSuspended(sql`a.suspended_at`, maker)})`.mapWith(
		Boolean,
	);
}

/** Returns the condition that the agent with the given id is not suspended and its operator token is not revoked. */
export function mayAgentAct(agentId: SQL): SQL<boolean> {
	return sql<number>`exists (select 1 from agents a left join operator_tokens t on t.id = a.operator_token_id
		where a.id = ${agentId} and t.revoked_at is null and not ${isSuspended(sql`a.suspended_at`, sql`t.agent_id`)})`.mapWith(Boolean);
}

/** When operators suspended and erased an agent. The times are null if they have not. */
export interface Standing {
	readonly id: string;
	readonly suspendedAt: number | null;
	readonly erasedAt: number | null;
}

/** Fails the batch if an agent's suspension or erasure has changed since it was read. */
export function guardStanding(db: Database, { id, suspendedAt, erasedAt }: Standing): Statement {
	return guard(db, sql`exists (select 1 from agents where id = ${id} and suspended_at is ${suspendedAt} and erased_at is ${erasedAt})`);
}

/** Returns a subquery for the ids of an agent and of the agents that its operator tokens created, which are suspended with it. */
export function fleetOf(agentId: string): SQL {
	return sql`(select id from agents where id = ${agentId} or operator_token_id in (select id from operator_tokens where agent_id = ${agentId}))`;
}

/**
 * Returns an expression for the party of an agent: its human, or else the human of the agent that owns its operator token, or else that
 * agent. An agent with neither a human nor an operator token is its own party. Agents of the same party are not independent of each other.
 * Null for an unknown agent.
 */
export function partyOf(agentId: SQL): SQL {
	return sql`(select coalesce(a.user_id, maker.user_id, maker.id, a.id) from agents a
		left join operator_tokens t on t.id = a.operator_token_id left join agents maker on maker.id = t.agent_id where a.id = ${agentId})`;
}
