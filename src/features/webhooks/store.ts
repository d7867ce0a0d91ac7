import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { countsTowardHost } from "../../db/conditions.ts";
import { selectValues } from "../../db/insert-select.ts";
import { isHeld, isLost, isWaiting, type Lease, RELEASED, takeLease, WEBHOOK_DELIVERIES } from "../../db/leases.ts";
import { isAgentSuspended } from "../../db/parties.ts";
import { submissions } from "../../db/schema/submissions.ts";
import { tasks } from "../../db/schema/tasks.ts";
import { webhookDeliveries as deliveries, webhookPayloads as payloads, webhooks } from "../../db/schema/webhooks.ts";
import type { Audience, FactIds } from "../../domain/event-kinds.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DeliveryMessage } from "../../ports/queues.ts";

export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof deliveries.$inferSelect;

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

const loggedAttempts = z.array(
	z.object({
		number: z.number(),
		startedAt: z.number(),
		durationMs: z.number(),
		responseCode: z.number().nullable(),
		responseBody: z.string().nullable(),
		error: z.string().nullable(),
	}),
);

const parsedLog = sql`${deliveries.attemptLog}`.mapWith((json: string) => loggedAttempts.parse(JSON.parse(json)));

/** A page of a webhook's log with the webhook, which decides whether the caller may see it. */
export async function findLog(deps: Deps, { webhookId, before, limit }: PageRequest & { webhookId: string }) {
	const [[webhook], rows] = await deps.db.query.batch([
		deps.db.query.select().from(webhooks).where(eq(webhooks.id, webhookId)),
		deps.db.query
			.select({
				id: deliveries.id,
				eventId: sql<string>`${deliveries.eventId}`.as("delivered_event_id"),
				event: payloads.eventType,
				body: payloads.body,
				status: deliveries.status,
				dueAt: deliveries.dueAt,
				replayOf: deliveries.replayOf,
				createdAt: deliveries.createdAt,
				finishedAt: deliveries.finishedAt,
				attempts: parsedLog.as("logged_attempts"),
			})
			.from(deliveries)
			.innerJoin(payloads, eq(payloads.eventId, deliveries.eventId))
			.where(and(eq(deliveries.webhookId, webhookId), before === null ? undefined : lt(deliveries.id, before)))
			.orderBy(desc(deliveries.id))
			.limit(limit),
	]);
	return webhook === undefined ? null : { webhook, rows };
}

/** A delivery and its webhook, in one round trip. */
export async function findDelivery(deps: Deps, { webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
	const [[webhook], [delivery]] = await deps.db.query.batch([
		deps.db.query.select().from(webhooks).where(eq(webhooks.id, webhookId)),
		deps.db.query
			.select()
			.from(deliveries)
			.where(and(eq(deliveries.id, deliveryId), eq(deliveries.webhookId, webhookId))),
	]);
	return { webhook: webhook ?? null, delivery: delivery ?? null };
}

interface NewDelivery {
	readonly id: string;
	readonly webhookId: string;
}

const messageColumns = { deliveryId: deliveries.id, webhookId: deliveries.webhookId };

interface FanOut {
	readonly payload: typeof payloads.$inferInsert;
	readonly rows: readonly NewDelivery[];
}

/** Writes an event's body and its deliveries. Returns the new ones: repeating it writes nothing. */
export async function saveFanOut(deps: Deps, { payload, rows }: FanOut): Promise<DeliveryMessage[]> {
	const now = deps.clock.now();
	const delivery = {
		id: sql`value->>'id'`,
		webhookId: sql`value->>'webhookId'`,
		eventId: payload.eventId,
		replayOf: null,
		status: "pending",
		attempts: 0,
		dueAt: now,
		...RELEASED,
		leaseHost: null,
		createdAt: now,
		finishedAt: null,
		attemptLog: "[]",
	};
	const [, inserted] = await deps.db.query.batch([
		deps.db.query.insert(payloads).values(payload).onConflictDoNothing(),
		deps.db.query
			.insert(deliveries)
			.select(selectValues(deliveries, delivery, sql`from json_each(${JSON.stringify(rows)}) where true`))
			.onConflictDoNothing()
			.returning(messageColumns),
	]);
	return inserted;
}

interface AudienceQuery {
	readonly eventType: string;
	readonly taskId: string;
	readonly audience: Audience;
	/** When the event happened, in milliseconds since the epoch. */
	readonly happenedAt: number;
	/** Subscriptions with greater ids. */
	readonly after: string;
	readonly limit: number;
}

/** Active subscriptions that an event goes to, in the order of their ids. One that is not verified gets only events of its agent's own. */
export async function selectAudience(deps: Deps, { eventType, taskId, audience, happenedAt, after, limit }: AudienceQuery) {
	const wantsEvent = sql`exists (select 1 from json_each(${webhooks.events}) where value = ${eventType})`;
	const category = sql`(select category from tasks where id = ${taskId})`;
	const isInScope = sql`(
		(${webhooks.taskIds} is null and ${webhooks.categories} is null)
		or exists (select 1 from json_each(${webhooks.taskIds}) where value = ${taskId})
		or exists (select 1 from json_each(${webhooks.categories}) where value = ${category}))`;
	return deps.db.query
		.select({ id: webhooks.id })
		.from(webhooks)
		.where(
			and(
				sql`active = 1`,
				sql`${webhooks.id} > ${after}`,
				isOfAudience(audience, { taskId, category, happenedAt }),
				wantsEvent,
				isInScope,
				sql`(${webhooks.verifiedAt} is not null or ${isOwn(audience, taskId)})`,
				mayReceive(taskId),
			),
		)
		.orderBy(webhooks.id)
		.limit(limit);
}

/**
 * A condition: the webhook's agent is not suspended, and can read the task. A hidden one is there only for its owner and agents that
 * have submitted.
 */
function mayReceive(taskId: string): SQL {
	return sql`(not ${isAgentSuspended(sql`${webhooks.agentId}`)} and (
		coalesce((select hidden from tasks where id = ${taskId}), 0) = 0 or ${webhooks.agentId} = ${ownerOf(taskId)}
		or exists (select 1 from task_entries as entered where entered.task_id = ${taskId} and entered.agent_id = ${webhooks.agentId})))`;
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

/** What payloads contain of the task and the submission of an event, in one round trip. */
export async function findPayloadFacts(deps: Deps, { task: taskId = "", submission: submissionId = "" }: FactIds) {
	const [[task], [submission]] = await deps.db.query.batch([
		deps.db.query.select({ category: tasks.category, budgetCents: tasks.budgetCents }).from(tasks).where(eq(tasks.id, taskId)),
		deps.db.query.select({ createdAt: submissions.createdAt }).from(submissions).where(eq(submissions.id, submissionId)),
	]);
	return { task, submission };
}

interface Claim extends Lease {
	readonly now: number;
	/** How many attempts a failing receiver may have at a time. */
	readonly maxFailing: number;
	/** How many attempts a host may have at a time, over all webhooks. */
	readonly maxOfHost: number;
}

/**
 * Takes the lease of a delivery that is due, and counts the attempt. Returns what must be sent, or null when the lease cannot be
 * taken: another consumer has it, or the host or the failing receiver has its share of attempts.
 */
export async function claimDelivery(deps: Deps, { now, maxFailing, maxOfHost, ...lease }: Claim) {
	const inFlight = sql`(select count(*) from webhook_deliveries as other
		where other.webhook_id = ${deliveries.webhookId} and other.status = 'pending' and other.lease_expires_at > ${now})`;
	const inFlightOfHost = sql`(select count(*) from webhook_deliveries as others
		where others.lease_host = w.host and others.status = 'pending' and others.lease_expires_at > ${now})`;
	const hasRoom = sql`exists (select 1 from webhooks as w where w.id = ${deliveries.webhookId} and w.active = 1 and not ${isAgentSuspended(sql`w.agent_id`)}
		and (w.failing_since is null or ${inFlight} < ${maxFailing}) and ${inFlightOfHost} < ${maxOfHost})`;
	const host = sql`(select host from webhooks where webhooks.id = ${deliveries.webhookId})`;
	const [, [message]] = await deps.db.idempotent.batch([
		takeLease(deps.db, WEBHOOK_DELIVERIES, { ...lease, now, onlyIf: hasRoom, also: { leaseHost: host } }),
		deps.db.query
			.select({
				webhookId: deliveries.webhookId,
				eventId: sql<string>`${deliveries.eventId}`.as("delivered_event_id"),
				attempts: deliveries.attempts,
				url: webhooks.url,
				secretSealed: webhooks.secretSealed,
				previousSecretSealed: webhooks.previousSecretSealed,
				previousSecretExpiresAt: webhooks.previousSecretExpiresAt,
				failingSince: webhooks.failingSince,
				eventType: payloads.eventType,
				body: payloads.body,
			})
			.from(deliveries)
			.innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
			.innerJoin(payloads, eq(payloads.eventId, deliveries.eventId))
			.where(isHeld(WEBHOOK_DELIVERIES, lease)),
	]);
	return message ?? null;
}

export type ClaimedDelivery = NonNullable<Awaited<ReturnType<typeof claimDelivery>>>;

/** Makes a delivery that no consumer holds due later. Returns null when there was none. */
export async function postponeWaiting(
	deps: Deps,
	deliveryId: string,
	{ now, dueAt }: { now: number; dueAt: number },
): Promise<DeliveryMessage | null> {
	const [row] = await deps.db.query
		.update(deliveries)
		.set({ dueAt })
		.where(and(eq(deliveries.id, deliveryId), isWaiting(WEBHOOK_DELIVERIES, now)))
		.returning(messageColumns);
	return row ?? null;
}

/** Makes deliveries that have lost their message due now, and returns them. */
export async function markLostDeliveries(deps: Deps, { now, limit }: { now: number; limit: number }): Promise<DeliveryMessage[]> {
	return deps.db.query.update(deliveries).set({ dueAt: now }).where(isLost(WEBHOOK_DELIVERIES, { now, limit })).returning(messageColumns);
}

interface OldRows {
	/** The smallest id that is young enough: ids start with the time of creation. */
	readonly deliveriesBefore: string;
	/** Bodies are kept for longer, because a replay may still need them. */
	readonly payloadsBefore: string;
	readonly limit: number;
}

/** Deletes finished deliveries, and bodies that are too old to be replayed. */
export async function forgetOld(deps: Deps, { deliveriesBefore, payloadsBefore, limit }: OldRows): Promise<void> {
	const old = sql`(select id from webhook_deliveries where id < ${deliveriesBefore} and status != 'pending' order by id limit ${limit})`;
	const oldBodies = sql`(select event_id from webhook_payloads where event_id < ${payloadsBefore} order by event_id limit ${limit})`;
	await deps.db.query.batch([
		deps.db.query.delete(deliveries).where(sql`id in ${old}`),
		deps.db.query.delete(payloads).where(sql`event_id in ${oldBodies}`),
	]);
}
