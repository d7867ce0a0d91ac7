import { sql } from "drizzle-orm";
import { type NetworkCap, PERSON_FACTOR, STRANGERS_FACTOR } from "../../../domain/network-caps.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

export interface Use {
	readonly agentId: string;
	readonly kind: NetworkCap;
	readonly day: string;
	readonly amount: number;
	readonly cap: number;
	/** The caller's network. Null if many strangers share its IP address. */
	readonly network: string | null;
}

/**
 * Finds the person behind an agent, if that person has an account at a provider. For an agent that an operator token created, this is the
 * token's creator, who must have such an account. Everyone else is counted by network.
 */
const OF_AGENT = sql`from agents a left join operator_tokens t on t.id = a.operator_token_id left join agents maker on maker.id = t.agent_id`;
const PERSON = sql`coalesce(iif(a.tier = 'verified', a.user_id, null), maker.user_id, maker.id)`;

const ADD = sql`on conflict (holder, kind, day) do update set used = used + excluded.used, cap = excluded.cap`;

/**
 * Counts an agent's use for its person, or else for its network. Without either, counts it for the agent itself and for all strangers
 * together. If a cap would be exceeded, the constraint `network_..._within_cap` makes the batch fail.
 */
export function addUse({ db }: Pick<Deps, "db">, { agentId, kind, day, amount, cap, network }: Use): Statement[] {
	const anonymous = network ?? `agent:${agentId}`;
	const own = db.statement(sql`
		insert into network_usage (holder, kind, day, used, cap)
		select coalesce('person:' || ${PERSON}, ${anonymous}), ${kind}, ${day}, ${amount}, iif(${PERSON} is null, ${cap}, ${cap * PERSON_FACTOR})
		${OF_AGENT} where a.id = ${agentId} ${ADD}`);
	if (network !== null) return [own];
	const together = db.statement(sql`
		insert into network_usage (holder, kind, day, used, cap)
		select 'strangers', ${kind}, ${day}, ${amount}, ${cap * STRANGERS_FACTOR} ${OF_AGENT} where a.id = ${agentId} and ${PERSON} is null ${ADD}`);
	return [own, together];
}

export function deleteDays(deps: Deps, { beforeDay, limit }: { beforeDay: string; limit: number }): Statement {
	return deps.db.statement(sql`
		delete from network_usage where (holder, kind, day) in (select holder, kind, day from network_usage where day < ${beforeDay} limit ${limit})`);
}
