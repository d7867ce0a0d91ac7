import { type SQL, sql } from "drizzle-orm";

/** A person reaches the grants of all of their agents, a key those of its own. */
export interface GrantReach {
	readonly userId: string | null;
	readonly agentId: string;
}

/** Returns the condition for grants within reach. */
export function isWithinReach({ userId, agentId }: GrantReach): SQL {
	return userId === null ? sql`agent_id = ${agentId}` : sql`agent_id in (select id from agents where user_id = ${userId})`;
}
