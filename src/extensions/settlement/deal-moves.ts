// The public log of a task shows the steps of its deals.

import { and, eq, sql } from "drizzle-orm";
import { deals } from "../../db/schema/deals.ts";
import { DEAL_STATUSES, type DealParty, type DealStatus } from "../../domain/deal-status.ts";
import type { Deps } from "../../ports/deps.ts";

/** A step of a deal has this place among the steps of its task's deals: later deals have larger ids, and later steps larger numbers. */
export interface MovePlace {
	readonly dealId: string;
	readonly step: number;
}

/**
 * Lists the statuses that the deals of a task have had, newest first, those that were declined included. SQLite reads the rows of one page
 * only.
 *
 * @param before Only steps at smaller places. Null for the newest.
 */
export async function listDealMoves(
	{ db: { query } }: Deps,
	taskId: string,
	{ before, limit }: { readonly before: MovePlace | null; readonly limit: number },
) {
	const isOlder =
		before === null ? undefined : sql`${deals.id} <= ${before.dealId} and (${deals.id}, step.key) < (${before.dealId}, ${before.step})`;
	return query
		.select({
			dealId: deals.id,
			step: sql<number>`step.key`.as("step_number"),
			at: sql<number>`step.value->>'at'`.as("step_at"),
			status: sql<DealStatus>`step.value->>'action'`.as("step_status"),
			by: sql<DealParty>`step.value->>'actor'`.as("step_by"),
			agentId: deals.agentId,
			valueCents: deals.dealValueCents,
		})
		.from(deals)
		.innerJoin(sql`json_each(${deals.history}) as step`, sql`step.value->>'action' in ${DEAL_STATUSES}`)
		.where(and(eq(deals.taskId, taskId), isOlder))
		.orderBy(sql`${deals.id} desc, step.key desc`)
		.limit(limit);
}
