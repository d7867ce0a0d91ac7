import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../domain/actor.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import type { Statement } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";
import { guard } from "./commit.ts";
import { endWebhooks } from "./webhook-ends.ts";

/**
 * Records that credentials end, so that open streams find out. The statement must be in the commit that ends them, before the statement
 * that does so.
 *
 * @param ended Selects the ids of keys, operator tokens, grants or agents, or the hashes of sessions or access tokens, in a column `id`.
 */
export function noteEnds({ db, clock }: Pick<Deps, "db" | "clock">, ended: SQL): Statement {
	return db.statement(sql`insert into credential_ends (at, id) select ${clock.now()}, ended.id from (${ended}) ended where true
		on conflict do nothing`);
}

/**
 * Ends what would otherwise outlive keys or grants: webhooks at once, and open streams as soon as they read the record. The statements must
 * be in the commit that ends the keys or grants, before the statement that does so.
 *
 * @param ended Selects the ids of keys or grants in a column `id`.
 */
export function endStanding(deps: Pick<Deps, "db" | "clock">, ended: SQL): Statement[] {
	return [noteEnds(deps, ended), endWebhooks(deps, sql`depends_on in (select ended.id from (${ended}) ended)`)];
}

/** Longer than an isolate may cache a credential after its end, plus the duration of a request that was admitted with it. */
const UNNOTICED_MS = 2 * MINUTE_MS;

/**
 * Fails the commit if the caller's credential was ended in the last two minutes, so that the request creates nothing after the end. Does
 * not look for the end of the agent itself, which {@link noteEndOfAgent} records under the agent's id.
 */
export function guardNotEnded({ db, clock }: Pick<Deps, "db" | "clock">, { keyId, operatorTokenId, session, grant }: Actor): Statement {
	const ids = [keyId, operatorTokenId, session?.hash, grant?.id, grant?.tokenHash].filter((id) => id !== null && id !== undefined);
	return guard(
		db,
		sql`not exists (select 1 from credential_ends where at > ${clock.now() - UNNOTICED_MS}
			and id in (select value from json_each(${JSON.stringify(ids)})))`,
	);
}

/** Records the end of all credentials of an agent, and of the agents that its operator tokens created. */
export function noteEndOfAgent(deps: Pick<Deps, "db" | "clock">, agentId: string): Statement {
	return noteEnds(deps, sql`select ${agentId} as id union all select id from operator_tokens where agent_id = ${agentId}`);
}
