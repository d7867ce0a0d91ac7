import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { countsTowardHost, isTroubled } from "../../db/conditions.ts";
import { isAgentSuspended } from "../../db/parties.ts";
import { submissions } from "../../db/schema/submissions.ts";
import { tasks } from "../../db/schema/tasks.ts";
import { webhooks } from "../../db/schema/webhooks.ts";
import type { Audience, FactIds } from "../../domain/event-kinds.ts";
import type { Deps } from "../../ports/deps.ts";

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
		.from(tasks)
		.where(and(sql`${tasks.id} in (select value from json_each(${JSON.stringify(taskIds)}))`, eq(tasks.companyId, agentId)));
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

/** What a delivery needs to be sent. */
const targetColumns = {
	webhookId: sql<string>`${webhooks.id}`.as("target_id"),
	url: webhooks.url,
	host: webhooks.host,
	secretSealed: webhooks.secretSealed,
	previousSecretSealed: webhooks.previousSecretSealed,
	previousSecretExpiresAt: webhooks.previousSecretExpiresAt,
};

/**
 * Where the deliveries of a webhook go, and whether its agent may read a task. Null when the webhook or its agent is stopped.
 *
 * @param taskId Null for a delivery that is not about a task.
 */
export async function findTarget(deps: Deps, { webhookId, taskId }: { webhookId: string; taskId: string | null }) {
	const mayReceive = taskId === null ? sql<number>`1` : sql<number>`${mayRead(taskId)}`;
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
	const owners = sql`(select t.company_id from task_entries e join tasks t on t.id = e.task_id where e.agent_id = ${agentId})`;
	const rows = await deps.db.query.select({ id: webhooks.id }).from(webhooks).where(sql`${webhooks.agentId} in ${owners}`);
	return rows.map(({ id }) => id);
}

interface AudienceQuery {
	readonly eventType: string;
	readonly taskId: string;
	readonly audience: Audience;
	readonly factIds: FactIds;
	/** When the event happened, in milliseconds since the epoch. */
	readonly happenedAt: number;
	/** Subscriptions with greater ids. */
	readonly after: string;
	readonly limit: number;
}

/**
 * Active subscriptions that an event goes to, in the order of their ids, and what its payload contains of the task and the submission,
 * in one round trip. A subscription that is not verified gets only events of its agent's own.
 */
export async function findAudience(deps: Deps, query: AudienceQuery) {
	const { task: factsTaskId = "", submission: submissionId = "" } = query.factIds;
	const [subscriptions, [task], [submission]] = await deps.db.query.batch([
		buildAudience(deps, query),
		deps.db.query.select({ category: tasks.category, budgetCents: tasks.budgetCents }).from(tasks).where(eq(tasks.id, factsTaskId)),
		deps.db.query.select({ createdAt: submissions.createdAt }).from(submissions).where(eq(submissions.id, submissionId)),
	]);
	return { subscriptions, task, submission };
}

function buildAudience(deps: Deps, { eventType, taskId, audience, happenedAt, after, limit }: AudienceQuery) {
	const wantsEvent = sql`exists (select 1 from json_each(${webhooks.events}) where value = ${eventType})`;
	const category = sql`(select category from tasks where id = ${taskId})`;
	const isInScope = sql`(
		(${webhooks.taskIds} is null and ${webhooks.categories} is null)
		or exists (select 1 from json_each(${webhooks.taskIds}) where value = ${taskId})
		or exists (select 1 from json_each(${webhooks.categories}) where value = ${category}))`;
	return deps.db.query
		.select(targetColumns)
		.from(webhooks)
		.where(
			and(
				sql`active = 1`,
				sql`${webhooks.id} > ${after}`,
				isOfAudience(audience, { taskId, category, happenedAt }),
				wantsEvent,
				isInScope,
				sql`(${webhooks.verifiedAt} is not null or ${isOwn(audience, taskId)})`,
				sql`not ${isAgentSuspended(sql`${webhooks.agentId}`)}`,
				mayRead(taskId),
			),
		)
		.orderBy(webhooks.id)
		.limit(limit);
}

/** A condition: the webhook's agent can read the task. A hidden one is there only for its owner and agents that have submitted. */
function mayRead(taskId: string): SQL {
	return sql`(coalesce((select hidden from tasks where id = ${taskId}), 0) = 0 or ${webhooks.agentId} = ${ownerOf(taskId)}
		or exists (select 1 from task_entries as entered where entered.task_id = ${taskId} and entered.agent_id = ${webhooks.agentId}))`;
}

/** A condition: the event is about a task, a submission or a deal of the webhook's agent. */
function isOwn(audience: Audience, taskId: string): SQL {
	const owner = ownerOf(taskId);
	return audience.kind === "parties" ? sql`${webhooks.agentId} in (${audience.agentId}, ${owner})` : sql`${webhooks.agentId} = ${owner}`;
}

const ownerOf = (taskId: string): SQL => sql`(select company_id from tasks where id = ${taskId})`;

interface AudiencePlace {
	readonly taskId: string;
	readonly category: SQL;
	readonly happenedAt: number;
}

/** A condition. An agent follows a task from its first submission on, however late an earlier event is sent on. */
function isOfAudience(audience: Audience, { taskId, category, happenedAt }: AudiencePlace): SQL {
	const owner = ownerOf(taskId);
	switch (audience.kind) {
		case "owner":
		case "parties":
			return isOwn(audience, taskId);
		case "specialists":
			return sql`${webhooks.agentId} in (select agent_id from agent_specializations where tag = ${category})`;
		case "followers":
			return sql`${webhooks.id} in (
				select id from webhooks where active = 1 and agent_id = ${owner}
				union select w.id from task_entries as e join webhooks as w on w.agent_id = e.agent_id and w.active = 1
					where e.task_id = ${taskId} and e.created_at <= ${happenedAt}
				union select webhook_id from webhook_scopes where kind = 'task' and value = ${taskId}
				union select webhook_id from webhook_scopes where kind = 'category' and value = ${category})`;
	}
}
