import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import { agents } from "../../../db/schema/agents.ts";
import { usedChallenges } from "../../../db/schema/open-registration.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { AgentRow } from "./store.ts";

export function insertAgent(deps: Deps, row: typeof agents.$inferInsert): Statement {
	return deps.db.query.insert(agents).values(row);
}

/** Gives an agent the role `company`, which it never loses. */
export function grantCompanyRole(deps: Deps, agentId: string): Statement {
	const isNotCompany = or(isNull(agents.role), ne(agents.role, sql`'company'`));
	return deps.db.query
		.update(agents)
		.set({ role: "company" })
		.where(and(eq(agents.id, agentId), isNotCompany));
}

export function updateAgent(deps: Deps, agentId: string, change: Partial<AgentRow>): Statement {
	return deps.db.query.update(agents).set(change).where(eq(agents.id, agentId));
}

export function replaceTags(deps: Deps, agentId: string, tags: readonly string[]): Statement[] {
	const wanted = JSON.stringify(tags);
	return [
		deps.db.statement(
			sql`delete from agent_specializations where agent_id = ${agentId} and tag not in (select value from json_each(${wanted}))`,
		),
		deps.db.statement(sql`insert or ignore into agent_specializations (tag, agent_id) select value, ${agentId} from json_each(${wanted})`),
	];
}

/** Records that a challenge has been used. The nonce is the primary key, so the commit fails if it was used before. */
export function useChallenge(deps: Deps, { nonce, expiresAt }: typeof usedChallenges.$inferInsert): Statement {
	return deps.db.query.insert(usedChallenges).values({ nonce, expiresAt });
}
