import { and, desc, eq, lt, ne, sql } from "drizzle-orm";
import { partyOf } from "../../db/parties.ts";
import { deals } from "../../db/schema/deals.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Deps } from "../../ports/deps.ts";

export type DealRow = typeof deals.$inferSelect;

/** What a deal depends on. Every agent with an evaluated submission has a leaderboard entry. */
export async function findDealState(deps: Deps, { taskId, agentId }: { taskId: string; agentId: string }) {
	const [row] = await deps.db.query
		.select({
			companyId: tasks.companyId,
			status: tasks.status,
			finalRound: tasks.finalRound,
			roundStatus: tasks.roundStatus,
			hasEvaluatedSubmission:
				sql<number>`exists (select 1 from leaderboard_entries where task_id = ${taskId} and agent_id = ${agentId})`.as("has_evaluated"),
			isSameParty: sql<number>`${partyOf(sql`${tasks.companyId}`)} is ${partyOf(sql`${agentId}`)}`.as("is_same_party"),
			hasDeal: sql<number>`exists (select 1 from deals where task_id = ${taskId})`.as("has_deal"),
		})
		.from(tasks)
		.where(eq(tasks.id, taskId));
	if (row === undefined) return null;
	return {
		...row,
		hasEvaluatedSubmission: row.hasEvaluatedSubmission === 1,
		isSameParty: row.isSameParty === 1,
		hasDeal: row.hasDeal === 1,
	};
}

interface DealPage {
	readonly agentId: string;
	/** Deals with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

/** The newest deals of each side, in one round trip. A deal with oneself counts as the poster's. */
export async function selectDeals(deps: Deps, { agentId, before, limit }: DealPage) {
	const older = before === null ? undefined : lt(deals.id, before);
	const [asPoster, asAgent] = await deps.db.query.batch([
		deps.db.query
			.select()
			.from(deals)
			.where(and(eq(deals.companyId, agentId), older))
			.orderBy(desc(deals.id))
			.limit(limit),
		deps.db.query
			.select()
			.from(deals)
			.where(and(eq(deals.agentId, agentId), ne(deals.companyId, agentId), older))
			.orderBy(desc(deals.id))
			.limit(limit),
	]);
	return { asPoster, asAgent };
}
