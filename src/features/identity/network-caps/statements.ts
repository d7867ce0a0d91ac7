import { sql } from "drizzle-orm";
import type { NetworkCap } from "../../../domain/network-caps.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

export interface Use {
	readonly network: string;
	readonly kind: NetworkCap;
	readonly day: string;
	readonly amount: number;
	readonly cap: number;
}

/** Counts what an agent uses, if it is anonymous. Over the cap, the constraint `network_..._within_cap` undoes the batch. */
export function addUse(deps: Deps, agentId: string, { network, kind, day, amount, cap }: Use): Statement {
	return deps.db.statement(sql`
		insert into network_usage (network, kind, day, used, cap)
		select ${network}, ${kind}, ${day}, ${amount}, ${cap} from agents where id = ${agentId} and tier = 'anonymous'
		on conflict (network, kind) do update set used = used + excluded.used, cap = excluded.cap`);
}

/** Takes back what {@link addUse} counted. */
export function subtractUse(deps: Deps, agentId: string, { network, kind, day, amount }: Use): Statement {
	return deps.db.statement(sql`
		update network_usage set used = max(0, used - ${amount}) where network = ${network} and kind = ${kind} and day = ${day}
			and exists (select 1 from agents where id = ${agentId} and tier = 'anonymous')`);
}

export function deleteDays(deps: Deps, { beforeDay, limit }: { beforeDay: string; limit: number }): Statement {
	return deps.db.statement(sql`
		delete from network_usage where (network, kind) in (select network, kind from network_usage where day < ${beforeDay} limit ${limit})`);
}
