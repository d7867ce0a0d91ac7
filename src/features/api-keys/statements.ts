import { sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { apiKeys } from "../../db/schema/agents.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export function insertKey(deps: Deps, row: typeof apiKeys.$inferInsert): Statement {
	return deps.db.query.insert(apiKeys).values(row);
}

/** Holds while the agent has fewer than `max` active keys. */
export function guardActiveKeyCount(deps: Deps, agentId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from api_keys where agent_id = ${agentId} and revoked_at is null) < ${max}`);
}
