// A deal shows what a review has changed since it was recorded.
import { and, eq, sql } from "drizzle-orm";
import { deals, isStandingDeal } from "../../db/schema/deals.ts";
import { findReview } from "../../fields/reviews.ts";
import type { Deps, RecordedEvent } from "../../ports/deps.ts";
import type { TaskStore } from "../../ports/task.ts";

/** Writes the newest review of an agent's score to the deal that the agent has on the task. A repetition changes nothing. */
export async function writeScoreToDeal(task: TaskStore, { db }: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "review.decided" || event.decision !== "changed") return null;
	const review = findReview(task, event.submissionId);
	// The owner may have decided again since, without a change.
	if (review === null || review.fromScore === null || review.toScore === null) return null;
	const { fromScore: scoreFrom, toScore: scoreTo, decidedAt } = review;
	const isLater = sql`created_at <= ${decidedAt} and coalesce(score_changed_at, 0) < ${decidedAt}`;
	await db.idempotent
		.update(deals)
		.set({ scoreFrom, scoreTo, scoreChangedAt: decidedAt })
		.where(and(eq(deals.taskId, task.id), eq(deals.agentId, event.agentId), isStandingDeal(), isLater));
	return null;
}
