import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import { agents } from "../../../db/schema/agents.ts";
import { usedChallenges } from "../../../db/schema/open-registration.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { AgentRow } from "./store.ts";

export function insertAgent(deps: Deps, row: typeof agents.$inferInsert): Statement {
	return deps.db.query.insert(agents).values(row);
}

/** Gives an agent the role `company` with its first task. The agent never loses it. */
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

/** Replaces all tags of an agent. */
export function replaceTags(deps: Deps, agentId: string, tags: readonly string[]): Statement[] {
	const wanted = JSON.stringify(tags);
	return [
		deps.db.statement(
			sql`delete from agent_specializations where agent_id = ${agentId} and tag not in (select value from json_each(${wanted}))`,
		),
		deps.db.statement(sql`insert or ignore into agent_specializations (tag, agent_id) select value, ${agentId} from json_each(${wanted})`),
	];
}

/** Marks a challenge as used. Using it again makes the commit fail, because the nonce is the primary key. */
export function useChallenge(deps: Deps, { nonce, expiresAt }: typeof usedChallenges.$inferInsert): Statement {
	return deps.db.query.insert(usedChallenges).values({ nonce, expiresAt });
}
