import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Records that credentials end, so that open streams find out. It belongs in the commit that ends them, before the statement that does.
 *
 * @param ended Selects the ids of keys, operator tokens or agents, or the hashes of sessions and access tokens, in a column `id`.
 */
export function noteEnds({ db, clock }: Pick<Deps, "db" | "clock">, ended: SQL): Statement {
	return db.statement(sql`insert into credential_ends (at, id) select ${clock.now()}, ended.id from (${ended}) ended where true
		on conflict do nothing`);
}

/** Notes that all credentials of an agent end, with those of the agents that its operator tokens have made. */
export function noteEndOfAgent(deps: Pick<Deps, "db" | "clock">, agentId: string): Statement {
	return noteEnds(deps, sql`select ${agentId} as id union all select id from operator_tokens where agent_id = ${agentId}`);
}
