import { and, asc, desc, eq, inArray, lt, lte, sql } from "drizzle-orm";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { textOf } from "../../../db/schema/id-bytes.ts";
import { countsTowardHost, isTroubled, isUntold, webhooks } from "../../../db/schema/webhooks.ts";
import type { PageBefore } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { MAX_TROUBLED } from "./rules.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

/** Counts an agent's active webhooks, and the webhooks that count toward the limit of a host. */
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

/** Returns a task's title and whether it is invite-only, for messages to people. Returns null if the task does not exist. */
export async function findTaskHeading({ db: { query } }: Deps, taskId: string) {
	const { title, access } = taskCards;
	const [heading] = await query.select({ title, access }).from(taskCards).where(eq(taskCards.id, taskId));
	return heading ?? null;
}

/** Returns true if the agent owns all of these tasks. */
export async function ownsTasks(deps: Deps, { agentId, taskIds }: { agentId: string; taskIds: readonly string[] }): Promise<boolean> {
	const [row] = await deps.db.query
		.select({ n: sql<number>`count(*)`.as("own_tasks") })
		.from(taskCards)
		.where(and(sql`${taskCards.id} in (select value from json_each(${JSON.stringify(taskIds)}))`, eq(taskCards.companyId, agentId)));
	return row?.n === taskIds.length;
}

/**
 * Selects a page of an agent's webhooks, newest first.
 *
 * @param before An id: smaller ids are older webhooks. Null for the first page.
 */
export async function selectWebhooks(
	deps: Deps,
	{ agentId, before, limit }: PageBefore & { readonly agentId: string },
): Promise<WebhookRow[]> {
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
 * Updates what the row of a webhook says about its deliveries: how many are waiting and since when, whether some have failed, and since
 * when all attempts have been failing.
 */
export async function noteTrouble(
	deps: Deps,
	webhookId: string,
	{
		waiting,
		waitingSince,
		hasFailed,
		failingSince,
	}: { waiting: number; waitingSince: number | null; hasFailed: boolean; failingSince: number | null },
): Promise<void> {
	await deps.db.idempotent
		.update(webhooks)
		.set({
			...{ waitingDeliveries: waiting, waitingSince, hasFailedDeliveries: hasFailed, failingSince },
			// The agent is notified only once per failure.
			failureToldAt: sql`case when ${webhooks.failingSince} = ${failingSince} then ${webhooks.failureToldAt} end`,
		})
		.where(eq(webhooks.id, webhookId));
}

/** Selects the ids of the 500 newest webhooks with deliveries that are waiting or have failed, newest webhook first. */
export async function selectTroubled(deps: Deps): Promise<string[]> {
	const newest = deps.db.query.select({ id: webhooks.id }).from(webhooks).where(isTroubled).orderBy(desc(webhooks.id));
	const rows = await newest.limit(MAX_TROUBLED);
	return rows.map(({ id }) => id);
}

export type FailingWebhook = Pick<WebhookRow, "id" | "agentId" | "url"> & { readonly failingSince: number };

/** Selects webhooks that have been failing since before a time and whose agents have not been notified, oldest failure first. */
export async function selectUntold(deps: Deps, { until, limit }: { until: number; limit: number }): Promise<FailingWebhook[]> {
	const { id, agentId, url, failingSince } = webhooks;
	const failing = deps.db.query.select({ id, agentId, url, failingSince }).from(webhooks);
	const rows = await failing
		.where(and(isUntold, lte(failingSince, until)))
		.orderBy(asc(failingSince))
		.limit(limit);
	return rows.flatMap(({ failingSince: since, ...webhook }) => (since === null ? [] : [{ ...webhook, failingSince: since }]));
}

/** Records that a webhook's agent has been notified of a failure. A later failure causes another notification. */
export async function noteTold(deps: Deps, { id, failingSince }: Pick<FailingWebhook, "id" | "failingSince">): Promise<void> {
	await deps.db.idempotent
		.update(webhooks)
		.set({ failureToldAt: deps.clock.now() })
		.where(and(eq(webhooks.id, id), eq(webhooks.failingSince, failingSince)));
}

/** Selects the ids of all webhooks of an agent. */
export async function selectIdsOf(deps: Deps, agentId: string): Promise<string[]> {
	const rows = await deps.db.query.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.agentId, agentId));
	return rows.map(({ id }) => id);
}

/** Selects the ids of webhooks that may have received events about an agent: the webhooks of agents to whose tasks it has submitted. */
export async function selectIdsAbout(deps: Deps, agentId: string): Promise<string[]> {
	const owners = deps.db.query
		.select({ id: textOf(submissionCards.companyId) })
		.from(submissionCards)
		.where(eq(submissionCards.agentId, agentId));
	const rows = await deps.db.query.select({ id: webhooks.id }).from(webhooks).where(inArray(webhooks.agentId, owners));
	return rows.map(({ id }) => id);
}
