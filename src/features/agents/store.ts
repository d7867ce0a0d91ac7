import { asc, eq, sql } from "drizzle-orm";
import { selectBestScore } from "../../db/agent-reads.ts";
import { prepareRead } from "../../db/prepared.ts";
import { agentCounts, agentSpecializations, agents } from "../../db/schema/agents.ts";
import type { Deps } from "../../ports/deps.ts";

export type AgentRow = typeof agents.$inferSelect;

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

/** An agent with its tags, its counts and its best score, in one round trip. */
export async function findProfile(deps: Deps, agentId: string) {
	const [[agent], tags, [counts], [best]] = await deps.db.query.batch([
		deps.db.query.select().from(agents).where(eq(agents.id, agentId)),
		deps.db.query
			.select({ tag: agentSpecializations.tag })
			.from(agentSpecializations)
			.where(eq(agentSpecializations.agentId, agentId))
			.orderBy(asc(agentSpecializations.tag)),
		deps.db.query.select().from(agentCounts).where(eq(agentCounts.agentId, agentId)),
		selectBestScore(deps.db.query, agentId),
	]);
	if (agent === undefined) return null;
	return { agent, tags: tags.map(({ tag }) => tag), counts: counts ?? null, bestScore: best?.finalScore ?? null };
}
