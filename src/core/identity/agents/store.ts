import { asc, eq, sql } from "drizzle-orm";
import { selectResults } from "../../../db/agent-reads.ts";
import { isAgentSuspended } from "../../../db/parties.ts";
import { prepareRead } from "../../../db/prepared.ts";
import { agentSpecializations, agents } from "../../../db/schema/agents.ts";
import type { Deps } from "../../../ports/deps.ts";

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

/**
 * Returns true if the agent, or the agent whose operator token created it, is suspended. Reads the primary, because an isolate may still
 * accept the key of an agent that was suspended seconds ago.
 */
export async function isSuspendedNow(deps: Deps, agentId: string): Promise<boolean> {
	deps.db.refresh();
	const [row] = await deps.db.query.all<{ suspended: number }>(sql`select ${isAgentSuspended(sql`${agentId}`)} as suspended`);
	return row?.suspended === 1;
}

/** Reads an agent, its tags, and its results from the cards, in one batch. Returns null if there is no such agent. */
export async function findProfile(deps: Deps, agentId: string) {
	const [[agent], tags, [results]] = await deps.db.query.batch([
		selectAgent(deps, agentId),
		selectTags(deps, agentId),
		selectResults(deps.db.query, agentId),
	]);
	if (agent === undefined) return null;
	return { agent, tags: tags.map(({ tag }) => tag), counts: results ?? null, bestScore: results?.bestScore ?? null };
}

const selectAgent = (deps: Deps, agentId: string) => deps.db.query.select().from(agents).where(eq(agents.id, agentId));

function selectTags(deps: Deps, agentId: string) {
	return deps.db.query
		.select({ tag: agentSpecializations.tag })
		.from(agentSpecializations)
		.where(eq(agentSpecializations.agentId, agentId))
		.orderBy(asc(agentSpecializations.tag));
}
