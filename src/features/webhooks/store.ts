import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { countsTowardHost, isTroubled } from "../../db/conditions.ts";
import { isAgentSuspended } from "../../db/parties.ts";
import { submissionCards, taskCards } from "../../db/schema/cards.ts";
import { webhooks } from "../../db/schema/webhooks.ts";
import type { Deps } from "../../ports/deps.ts";
import { targetColumns } from "./target-columns.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

/** How many active webhooks there are of an agent, and of a host with those tiers that share its limit. */
export async function countActive(deps: Deps, { agentId, host }: { agentId: string; host: string }) {
	const active = { n: sql<number>`count(*)`.as("active_count") };
	const [[own], [ofHost]] = await deps.db.query.batch([
		deps.db.query
			.select(active)
			.from(webhooks)
			.where(and(eq(webhooks.agentId, agentId), sql`active = 1`)),
		deps.db.query.select(active).from(webhooks).where(countsTowardHost(host)),
	]);
	return { own: own?.n ?? 0, ofHost: ofHost?.n ?? 0 };
}

/** Whether all of these tasks are the agent's own. */
export async function ownsTasks(deps: Deps, { agentId, taskIds }: { agentId: string; taskIds: readonly string[] }): Promise<boolean> {
	const [row] = await deps.db.query
		.select({ n: sql<number>`count(*)`.as("own_tasks") })
		.from(taskCards)
		.where(and(sql`${taskCards.id} in (select value from json_each(${JSON.stringify(taskIds)}))`, eq(taskCards.companyId, agentId)));
	return row?.n === taskIds.length;
}

interface PageRequest {
	/** Rows with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

export async function selectWebhooks(deps: Deps, { agentId, before, limit }: PageRequest & { agentId: string }): Promise<WebhookRow[]> {
	return deps.db.query
		.select()
		.from(webhooks)
		.where(and(eq(webhooks.agentId, agentId), before === null ? undefined : lt(webhooks.id, before)))
		.orderBy(desc(webhooks.id))
		.limit(limit);
}

export async function findWebhook(deps: Deps, webhookId: string): Promise<WebhookRow | null> {
	const [row] = await deps.db.query.select().from(webhooks).where(eq(webhooks.id, webhookId));
	return row ?? null;
}

/**
 * Where the deliveries of a webhook go, and whether its agent may read a task. Null when the webhook or its agent is stopped.
 *
 * @param taskId Null for a delivery that is not about a task.
 */
export async function findTarget(deps: Deps, { webhookId, taskId }: { webhookId: string; taskId: string | null }) {
	// Drizzle leaves the table out, and then submission_cards would compare its own column with itself.
	const agentId = sql`webhooks.agent_id`;
	// A hidden task is there only for its owner and agents that have submitted.
	const mayReceive = sql<number>`(not exists (select 1 from ${taskCards} where id = ${taskId} and hidden = 1 and company_id <> ${agentId})
		or exists (select 1 from ${submissionCards} where task_id = ${taskId} and agent_id = ${agentId}))`;
	const [found] = await deps.db.query
		.select({ target: targetColumns, mayReceive: mayReceive.mapWith(Boolean).as("may_receive") })
		.from(webhooks)
		.where(and(eq(webhooks.id, webhookId), sql`active = 1`, sql`not ${isAgentSuspended(sql`${webhooks.agentId}`)}`));
	return found ?? null;
}

/** Notes in the record of a webhook what its object has told: how many deliveries wait, since when, and whether some have failed. */
export async function noteTrouble(
	deps: Deps,
	webhookId: string,
	{ waiting, waitingSince, hasFailed }: { waiting: number; waitingSince: number | null; hasFailed: boolean },
): Promise<void> {
	await deps.db.idempotent
		.update(webhooks)
		.set({ waitingDeliveries: waiting, waitingSince, hasFailedDeliveries: hasFailed })
		.where(eq(webhooks.id, webhookId));
}

/** Ids of webhooks with deliveries that wait or have failed, newest first. */
export async function selectTroubled(deps: Deps, limit: number): Promise<string[]> {
	const rows = await deps.db.query.select({ id: webhooks.id }).from(webhooks).where(isTroubled()).orderBy(desc(webhooks.id)).limit(limit);
	return rows.map(({ id }) => id);
}

/** Ids of all webhooks of an agent. */
export async function selectIdsOf(deps: Deps, agentId: string): Promise<string[]> {
	const rows = await deps.db.query.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.agentId, agentId));
	return rows.map(({ id }) => id);
}

/** Ids of the webhooks of others that may have received events about an agent: those of the owners of tasks to which it has submitted. */
export async function selectIdsAbout(deps: Deps, agentId: string): Promise<string[]> {
	const owners = deps.db.query.select({ id: submissionCards.companyId }).from(submissionCards).where(eq(submissionCards.agentId, agentId));
	const rows = await deps.db.query.select({ id: webhooks.id }).from(webhooks).where(inArray(webhooks.agentId, owners));
	return rows.map(({ id }) => id);
}
