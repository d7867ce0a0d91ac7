import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import type { Statement } from "../../db/client.ts";
import { agents } from "../../db/schema/agents.ts";
import type { Deps } from "../../deps.ts";

export type AgentRow = typeof agents.$inferSelect;

export function insertAgent(deps: Deps, row: typeof agents.$inferInsert): Statement {
	return deps.db.query.insert(agents).values(row);
}

export async function findAgent(deps: Deps, agentId: string): Promise<AgentRow | null> {
	const [row] = await deps.db.query.select().from(agents).where(eq(agents.id, agentId));
	return row ?? null;
}

/** A first submission makes an agent builder of somebody without a role. */
export function grantAgentBuilderRole(deps: Deps, agentId: string): Statement {
	return deps.db.query
		.update(agents)
		.set({ role: "agent_builder" })
		.where(and(eq(agents.id, agentId), isNull(agents.role)));
}

/** A first task makes a company of anybody, for good. */
export function grantCompanyRole(deps: Deps, agentId: string): Statement {
	const isNoCompany = or(isNull(agents.role), ne(agents.role, sql`'company'`));
	return deps.db.query
		.update(agents)
		.set({ role: "company" })
		.where(and(eq(agents.id, agentId), isNoCompany));
}
