// A deal shows what a review has changed since the deal was recorded.
import { and, eq, sql } from "drizzle-orm";
import { deals, isStandingDeal } from "../../db/schema/deals.ts";
import type { Deps, RecordedEvent } from "../../ports/deps.ts";
import type { TaskStore } from "../../ports/task.ts";

/** Records in an agent's deal how a review last changed the score that the agent ranks with. Safe to repeat. */
export async function writeScoreToDeal(task: TaskStore, { db }: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "review.decided" || event.ranked === null) return null;
	const { from: scoreFrom, to: scoreTo, at } = event.ranked;
	const isLater = sql`created_at <= ${at} and coalesce(score_changed_at, 0) < ${at}`;
	await db.idempotent
		.update(deals)
		.set({ scoreFrom, scoreTo, scoreChangedAt: at })
		.where(and(eq(deals.taskId, task.id), eq(deals.agentId, event.agentId), isStandingDeal(), isLater));
	return null;
}
