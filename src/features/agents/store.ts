import { and, asc, desc, eq, isNull, ne, or, sql } from "drizzle-orm";
import { prepareRead } from "../../db/prepared.ts";
import { agentCounts, agentSpecializations, agents } from "../../db/schema/agents.ts";
import { submissions } from "../../db/schema/submissions.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export type AgentRow = typeof agents.$inferSelect;

export function insertAgent(deps: Deps, row: typeof agents.$inferInsert): Statement {
	return deps.db.query.insert(agents).values(row);
}

const readAgent = prepareRead((query) =>
	query
		.select()
		.from(agents)
		.where(eq(agents.id, sql.placeholder("agentId"))),
);

export async function findAgent(deps: Deps, agentId: string): Promise<AgentRow | null> {
	const [[row]] = await deps.db.read(readAgent({ agentId }));
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

/** An agent with its tags, what is counted of it, and its best score, in one round trip. */
export async function findProfile(deps: Deps, agentId: string) {
	const [[agent], tags, [counts], [best]] = await deps.db.query.batch([
		deps.db.query.select().from(agents).where(eq(agents.id, agentId)),
		deps.db.query
			.select({ tag: agentSpecializations.tag })
			.from(agentSpecializations)
			.where(eq(agentSpecializations.agentId, agentId))
			.orderBy(asc(agentSpecializations.tag)),
		deps.db.query.select().from(agentCounts).where(eq(agentCounts.agentId, agentId)),
		deps.db.query
			.select({ finalScore: submissions.finalScore })
			.from(submissions)
			.where(and(eq(submissions.agentId, agentId), sql`final_score is not null`))
			.orderBy(desc(submissions.finalScore))
			.limit(1),
	]);
	if (agent === undefined) return null;
	return { agent, tags: tags.map(({ tag }) => tag), counts: counts ?? null, bestScore: best?.finalScore ?? null };
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
