import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { evaluations, submissions } from "../../db/schema/submissions.ts";
import { tasks } from "../../db/schema/tasks.ts";
import {
	webhookAttempts as attempts,
	webhookDeliveries as deliveries,
	webhookPayloads as payloads,
	webhooks,
} from "../../db/schema/webhooks.ts";
import type { Audience, FactIds } from "../../domain/event-kinds.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof deliveries.$inferSelect;
export type AttemptRow = typeof attempts.$inferSelect;

export function insertWebhook(deps: Deps, row: typeof webhooks.$inferInsert): Statement {
	return deps.db.query.insert(webhooks).values(row);
}

/** One statement for any number of scopes: D1 takes at most 100 parameters. */
export function insertScopes(
	deps: Deps,
	webhookId: string,
	wanted: readonly { readonly kind: "task" | "category"; readonly value: string }[],
): Statement {
	return deps.db.statement(sql`
		insert or ignore into webhook_scopes (kind, value, webhook_id)
		select value->>'kind', value->>'value', ${webhookId} from json_each(${JSON.stringify(wanted)})`);
}

export function guardActiveCount(deps: Deps, agentId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from webhooks where agent_id = ${agentId} and active = 1) < ${max}`);
}

export async function countActive(deps: Deps, agentId: string): Promise<number> {
	const [row] = await deps.db.query
		.select({ active: sql<number>`count(*)`.as("active_count") })
		.from(webhooks)
		.where(and(eq(webhooks.agentId, agentId), sql`active = 1`));
	return row?.active ?? 0;
}

/** Holds while the webhook is active and nobody else has rotated its secret. */
export function guardSecret(deps: Deps, { id, secretSealed }: Pick<WebhookRow, "id" | "secretSealed">): Statement {
	return guard(deps.db, sql`exists (select 1 from webhooks where id = ${id} and active = 1 and secret_sealed = ${secretSealed})`);
}

interface PageRequest {
	/** Rows with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

export function selectWebhooks(deps: Deps, { agentId, before, limit }: PageRequest & { agentId: string }): Promise<WebhookRow[]> {
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

/** Holds while the webhook takes deliveries. */
export function guardActive(deps: Deps, webhookId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from webhooks where id = ${webhookId} and active = 1)`);
}

/** Stops a webhook and everything that is scheduled for it. */
export function deactivate(deps: Deps, webhookId: string, inactiveReason: NonNullable<WebhookRow["inactiveReason"]>): Statement[] {
	return [
		deps.db.query
			.update(webhooks)
			.set({ active: false, inactiveReason })
			.where(and(eq(webhooks.id, webhookId), eq(webhooks.active, true))),
		deps.db.query
			.update(deliveries)
			.set({ status: "cancelled", finishedAt: deps.clock.now(), leaseToken: null, leaseExpiresAt: null })
			.where(and(eq(deliveries.webhookId, webhookId), sql`status = 'pending'`)),
	];
}

export function updateWebhook(deps: Deps, webhookId: string, change: Partial<WebhookRow>): Statement {
	return deps.db.query.update(webhooks).set(change).where(eq(webhooks.id, webhookId));
}

/** The first failure since the last success sets the time, later ones keep it. */
export function markFailing(deps: Deps, webhookId: string, now: number): Statement {
	return deps.db.query
		.update(webhooks)
		.set({ failingSince: sql`coalesce(failing_since, ${now})` })
		.where(eq(webhooks.id, webhookId));
}

/** A page of a webhook's log with the webhook, which decides whether the caller may see it. */
export async function findLog(deps: Deps, { webhookId, before, limit }: PageRequest & { webhookId: string }) {
	const page = and(eq(deliveries.webhookId, webhookId), before === null ? undefined : lt(deliveries.id, before));
	const rowsOfPage = deps.db.query.select({ id: deliveries.id }).from(deliveries).where(page).orderBy(desc(deliveries.id)).limit(limit);
	const [[webhook], rows, tries] = await deps.db.query.batch([
		deps.db.query.select().from(webhooks).where(eq(webhooks.id, webhookId)),
		deps.db.query
			.select({
				id: deliveries.id,
				eventId: sql<string>`${deliveries.eventId}`.as("delivered_event_id"),
				event: payloads.eventType,
				status: deliveries.status,
				dueAt: deliveries.dueAt,
				replayOf: deliveries.replayOf,
				createdAt: deliveries.createdAt,
				finishedAt: deliveries.finishedAt,
			})
			.from(deliveries)
			.innerJoin(payloads, eq(payloads.eventId, deliveries.eventId))
			.where(page)
			.orderBy(desc(deliveries.id))
			.limit(limit),
		deps.db.query.select().from(attempts).where(inArray(attempts.deliveryId, rowsOfPage)).orderBy(attempts.number),
	]);
	return webhook === undefined ? null : { webhook, rows, tries };
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

export function insertPayload(deps: Deps, row: typeof payloads.$inferInsert): Statement {
	return deps.db.query.insert(payloads).values(row).onConflictDoNothing();
}

export function insertDelivery(deps: Deps, row: typeof deliveries.$inferInsert): Statement {
	return deps.db.query.insert(deliveries).values(row);
}

export interface NewDelivery {
	readonly id: string;
	readonly webhookId: string;
	readonly eventId: string;
}

/** What names a delivery and whose it is. */
export interface DeliveryKey {
	readonly deliveryId: string;
	readonly webhookId: string;
}

const deliveryKey = { deliveryId: deliveries.id, webhookId: deliveries.webhookId };

/** Writes an event's body and its deliveries, once however often it is called; those that are new. */
export async function insertFanOut(
	deps: Deps,
	{ payload, rows }: { payload: typeof payloads.$inferInsert; rows: readonly NewDelivery[] },
): Promise<DeliveryKey[]> {
	const now = deps.clock.now();
	const [, inserted] = await deps.db.query.batch([
		deps.db.query.insert(payloads).values(payload).onConflictDoNothing(),
		deps.db.query
			.insert(deliveries)
			.select(sql`
				select value->>'id', value->>'webhookId', value->>'eventId', null, 'pending', 0, ${now}, null, null, ${now}, null
				from json_each(${JSON.stringify(rows)}) where true`)
			.onConflictDoNothing()
			.returning(deliveryKey),
	]);
	return inserted;
}

interface AudienceQuery {
	readonly eventType: string;
	readonly taskId: string;
	readonly audience: Audience;
	/** Subscriptions with greater ids. */
	readonly after: string;
	readonly limit: number;
}

/** Active subscriptions that an event goes to, in the order of their ids. */
export function selectAudience(deps: Deps, { eventType, taskId, audience, after, limit }: AudienceQuery) {
	const wantsEvent = sql`exists (select 1 from json_each(${webhooks.events}) where value = ${eventType})`;
	const category = sql`(select category from tasks where id = ${taskId})`;
	const isInScope = sql`(
		(${webhooks.taskIds} is null and ${webhooks.categories} is null)
		or exists (select 1 from json_each(${webhooks.taskIds}) where value = ${taskId})
		or exists (select 1 from json_each(${webhooks.categories}) where value = ${category}))`;
	return deps.db.query
		.select({ id: webhooks.id })
		.from(webhooks)
		.where(and(sql`active = 1`, sql`${webhooks.id} > ${after}`, isOfAudience(audience, { taskId, category }), wantsEvent, isInScope))
		.orderBy(webhooks.id)
		.limit(limit);
}

function isOfAudience(audience: Audience, { taskId, category }: { taskId: string; category: SQL }): SQL {
	const owner = sql`(select company_id from tasks where id = ${taskId})`;
	switch (audience.kind) {
		case "parties":
			return sql`${webhooks.agentId} in (${audience.agentId}, ${owner})`;
		case "specialists":
			return sql`${webhooks.agentId} in (select agent_id from agent_specializations where tag = ${category})`;
		case "followers":
			return sql`${webhooks.id} in (
				select id from webhooks where active = 1 and agent_id = ${owner}
				union select w.id from task_entries as e join webhooks as w on w.agent_id = e.agent_id and w.active = 1 where e.task_id = ${taskId}
				union select webhook_id from webhook_scopes where kind = 'task' and value = ${taskId}
				union select webhook_id from webhook_scopes where kind = 'category' and value = ${category})`;
	}
}

/** What payloads contain of the task, the submission and the evaluation of an event, in one round trip. */
export async function findPayloadFacts(
	deps: Deps,
	{ task: taskId = "", submission: submissionId = "", evaluation: evaluationId = "" }: FactIds,
) {
	const [[task], [submission], [evaluation]] = await deps.db.query.batch([
		deps.db.query.select({ category: tasks.category, budgetCents: tasks.budgetCents }).from(tasks).where(eq(tasks.id, taskId)),
		deps.db.query.select({ createdAt: submissions.createdAt }).from(submissions).where(eq(submissions.id, submissionId)),
		deps.db.query.select({ reportKey: evaluations.reportKey }).from(evaluations).where(eq(evaluations.id, evaluationId)),
	]);
	return { task, submission, evaluation };
}

interface Claim {
	readonly deliveryId: string;
	readonly token: string;
	readonly now: number;
	readonly expiresAt: number;
	/** How many attempts a failing receiver may have at a time. */
	readonly maxInFlight: number;
}

/**
 * Takes the lease of a delivery that is due and counts the attempt; null when it cannot be had.
 * One statement, so one winner. The message to send comes with it.
 */
export async function claimDelivery(deps: Deps, { deliveryId, token, now, expiresAt, maxInFlight }: Claim) {
	const inFlight = sql`(select count(*) from webhook_deliveries as other
		where other.webhook_id = ${deliveries.webhookId} and other.status = 'pending' and other.lease_expires_at > ${now})`;
	const takesIt = sql`exists (select 1 from webhooks as w
		where w.id = ${deliveries.webhookId} and w.active = 1 and (w.failing_since is null or ${inFlight} < ${maxInFlight}))`;
	const [claimed, [message]] = await deps.db.query.batch([
		deps.db.query
			.update(deliveries)
			.set({ leaseToken: token, leaseExpiresAt: expiresAt, attempts: sql`${deliveries.attempts} + 1` })
			.where(and(eq(deliveries.id, deliveryId), isWaiting(now), takesIt))
			.returning({ id: deliveries.id }),
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
			.where(and(eq(deliveries.id, deliveryId), eq(deliveries.leaseToken, token))),
	]);
	return claimed.length === 0 || message === undefined ? null : message;
}

export type ClaimedDelivery = NonNullable<Awaited<ReturnType<typeof claimDelivery>>>;

/** Pending, due, and nobody is sending it. */
function isWaiting(now: number): SQL {
	return sql`status = 'pending' and due_at <= ${now} and (lease_expires_at is null or lease_expires_at <= ${now})`;
}

/** Puts off a delivery that is due but may not be sent yet; null when there was none. */
export async function postponeWaiting(
	deps: Deps,
	deliveryId: string,
	{ now, dueAt }: { now: number; dueAt: number },
): Promise<DeliveryKey | null> {
	const [row] = await deps.db.query
		.update(deliveries)
		.set({ dueAt })
		.where(and(eq(deliveries.id, deliveryId), isWaiting(now)))
		.returning(deliveryKey);
	return row ?? null;
}

export interface Lease {
	readonly deliveryId: string;
	readonly token: string;
}

/** Holds while this consumer is the one that sends the delivery. */
export function guardLease(deps: Deps, { deliveryId, token }: Lease): Statement {
	return guard(
		deps.db,
		sql`exists (select 1 from webhook_deliveries where id = ${deliveryId} and lease_token = ${token} and status = 'pending')`,
	);
}

export function insertAttempt(deps: Deps, row: AttemptRow): Statement {
	return deps.db.query.insert(attempts).values(row).onConflictDoNothing();
}

/** Gives the lease back with what came of the attempt. */
export function releaseDelivery(
	deps: Deps,
	deliveryId: string,
	end: { readonly status: DeliveryRow["status"]; readonly dueAt?: number },
): Statement {
	const finishedAt = end.status === "pending" ? null : deps.clock.now();
	return deps.db.query
		.update(deliveries)
		.set({ ...end, finishedAt, leaseToken: null, leaseExpiresAt: null })
		.where(eq(deliveries.id, deliveryId));
}

/** Pending deliveries that have been due since before `dueBefore` with nobody sending them; they count as due now. */
export function markLost(deps: Deps, { now, dueBefore, limit }: { now: number; dueBefore: number; limit: number }): Promise<DeliveryKey[]> {
	const lost = sql`(
		select id from webhook_deliveries where status = 'pending' and due_at <= ${dueBefore}
			and (lease_expires_at is null or lease_expires_at <= ${now})
		order by due_at limit ${limit})`;
	return deps.db.query.update(deliveries).set({ dueAt: now }).where(sql`${deliveries.id} in ${lost}`).returning(deliveryKey);
}

interface OldRows {
	/** The smallest id that is young enough. Ids start with the time, so an id says how old a row is. */
	readonly deliveriesBefore: string;
	/** Bodies are kept for longer, because a replay may still need them. */
	readonly payloadsBefore: string;
	readonly limit: number;
}

/** Forgets finished deliveries with their attempts, and bodies that nothing refers to any more. */
export async function deleteOld(deps: Deps, { deliveriesBefore, payloadsBefore, limit }: OldRows): Promise<void> {
	const old = sql`(select id from webhook_deliveries where id < ${deliveriesBefore} and status != 'pending' order by id limit ${limit})`;
	const oldBodies = sql`(select event_id from webhook_payloads where event_id < ${payloadsBefore} order by event_id limit ${limit})`;
	await deps.db.query.batch([
		deps.db.query.delete(attempts).where(sql`delivery_id in ${old}`),
		deps.db.query.delete(deliveries).where(sql`id in ${old}`),
		deps.db.query.delete(payloads).where(sql`event_id in ${oldBodies}`),
	]);
}
