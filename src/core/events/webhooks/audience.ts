// Finds the subscriptions that an event must be sent to.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { mayAgentAct } from "../../../db/parties.ts";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { bytesOf } from "../../../db/schema/id-bytes.ts";
import { webhooks } from "../../../db/schema/webhooks.ts";
import { chunksOf } from "../../../domain/chunks.ts";
import type { Audience } from "../../../domain/event-kinds.ts";
import type { Database } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { WebhookTarget } from "../../../ports/webhook-sender.ts";

/** The columns that the sender of a delivery needs. */
const targetColumns = {
	webhookId: sql<string>`${webhooks.id}`.as("target_id"),
	url: webhooks.url,
	host: webhooks.host,
	format: webhooks.format,
	origin: webhooks.origin,
	secretEncrypted: webhooks.secretEncrypted,
	previousSecretEncrypted: webhooks.previousSecretEncrypted,
	previousSecretExpiresAt: webhooks.previousSecretExpiresAt,
};

/** The facts about an event's task that determine who gets the event. */
export interface EventTask {
	readonly id: string;
	/** The owner's id. If null, the query reads it from the task's card. */
	readonly owner: string | null;
	/** The task's category. If null, the query reads it from the task's card. */
	readonly category: string | null;
	/** The agents that had submitted or joined when the event happened. Empty if the event's audience does not depend on them. */
	readonly entrants: readonly string[];
	/** The agents that may read a hidden or invite-only task, in addition to its owner. Null if everyone may read it. */
	readonly readers: readonly string[] | null;
}

interface AudienceQuery {
	readonly eventType: string;
	readonly task: EventTask;
	readonly audience: Audience;
	/** When the event happened, in milliseconds since the epoch. */
	readonly happenedAt: number;
	/** The page contains only subscriptions whose ids are greater than this one. */
	readonly after: string;
	readonly limit: number;
}

/**
 * Selects the active subscriptions that an event must be sent to, in the order of their ids. Skips subscriptions that were created after
 * the event. Unverified subscriptions get only events about their agent's own tasks, submissions, deals and questions.
 */
export async function findAudience({ db }: Deps, query: AudienceQuery): Promise<WebhookTarget[]> {
	return readTogether(db, selectAudience(db, query));
}

type AudienceRead = ReturnType<typeof selectAudience>;

function selectAudience(db: Database, query: AudienceQuery) {
	const { eventType, task, audience, happenedAt, after, limit } = query;
	const wantsEvent = sql`exists (select 1 from json_each(${webhooks.events}) where value = ${eventType})`;
	const isInScope = sql`(
		(${webhooks.taskIds} is null and ${webhooks.categories} is null)
		or exists (select 1 from json_each(${webhooks.taskIds}) where value = ${task.id})
		or exists (select 1 from json_each(${webhooks.categories}) where value = ${categoryOf(task)}))`;
	return db.query
		.select(targetColumns)
		.from(webhooks)
		.where(
			and(
				sql`active = 1`,
				sql`${webhooks.id} > ${after}`,
				sql`${webhooks.createdAt} <= ${happenedAt}`,
				isOfAudience(audience, task),
				wantsEvent,
				isInScope,
				sql`(${webhooks.verifiedAt} is not null or ${isOwn(audience, task)})`,
				mayAgentAct(sql`${webhooks.agentId}`),
				task.readers === null
					? undefined
					: sql`(${webhooks.agentId} = ${ownerOf(task)} or ${webhooks.agentId} in (${idsIn(task.readers)}))`,
			),
		)
		.orderBy(webhooks.id)
		.limit(limit);
}

const waitingReads = new WeakMap<
	Database,
	{ readonly read: AudienceRead; readonly resolve: (targets: WebhookTarget[]) => void; readonly reject: (error: unknown) => void }[]
>();

/** Combines reads that begin at the same time into one batch, because the events of a change are sent in parallel. */
function readTogether(db: Database, read: AudienceRead): Promise<WebhookTarget[]> {
	const { promise, resolve, reject } = Promise.withResolvers<WebhookTarget[]>();
	const waiting = waitingReads.get(db) ?? [];
	waiting.push({ read, resolve, reject });
	if (waiting.length === 1) {
		waitingReads.set(db, waiting);
		queueMicrotask(() => void readWaiting(db));
	}
	return promise;
}

async function readWaiting(db: Database): Promise<void> {
	const waiting = waitingReads.get(db) ?? [];
	waitingReads.delete(db);
	const [first, ...others] = waiting.map(({ read }) => read);
	if (first === undefined) return;
	try {
		const results = await db.idempotent.batch([first, ...others]);
		for (const [index, { resolve }] of waiting.entries()) resolve(results[index] ?? []);
	} catch (error) {
		for (const { reject } of waiting) reject(error);
	}
}

function ownerOf({ id, owner }: EventTask): SQL {
	return owner === null ? sql`(select company_id from ${taskCards} where id = ${id})` : sql`${owner}`;
}

function categoryOf({ id, category }: EventTask): SQL {
	return category === null ? sql`(select category from ${taskCards} where id = ${id})` : sql`${category}`;
}

/** Builds the condition that the event is about a task, submission, deal or question of the webhook's agent. */
function isOwn(audience: Audience, task: EventTask): SQL {
	const owner = ownerOf(task);
	switch (audience.kind) {
		case "parties":
			return sql`${webhooks.agentId} in (${audience.agentId}, ${owner})`;
		case "agent":
			return sql`${webhooks.agentId} = ${audience.agentId}`;
		case "competitors":
			// Everyone in this audience takes part in the task, so these events count as being about their own submissions and questions.
			return isOfAudience(audience, task);
		case "owner":
		case "specialists":
		case "followers":
			return sql`${webhooks.agentId} = ${owner}`;
	}
}

function isOfAudience(audience: Audience, task: EventTask): SQL {
	switch (audience.kind) {
		case "owner":
		case "parties":
		case "agent":
			return isOwn(audience, task);
		case "competitors": {
			const asker = audience.askerId === null ? [] : [audience.askerId];
			return sql`${webhooks.agentId} in (${idsIn([...asker, ...task.entrants])})`;
		}
		case "specialists":
			return sql`${webhooks.agentId} in (select agent_id from agent_specializations where tag = ${categoryOf(task)})`;
		case "followers":
			return sql`${webhooks.id} in (
				select id from webhooks where active = 1 and agent_id = ${ownerOf(task)}
				union select w.id from (${idsIn(task.entrants)}) as e join webhooks as w on w.agent_id = e.value and w.active = 1
				union select webhook_id from webhook_scopes where kind = 'task' and value = ${task.id}
				union select webhook_id from webhook_scopes where kind = 'category' and value = ${categoryOf(task)})`;
	}
}

/** D1 limits a parameter to 2 MB, so longer lists of ids are split. */
const IDS_PER_PARAMETER = 20_000;

/** Builds a query that returns any number of ids, in the column `value`. */
function idsIn(ids: readonly string[]): SQL {
	const chunks = ids.length === 0 ? [[]] : chunksOf(ids, IDS_PER_PARAMETER);
	const parts = chunks.map((chunk) => sql`select value from json_each(${JSON.stringify(chunk)})`);
	return sql.join(parts, sql` union all `);
}

/**
 * Finds where to send a webhook's deliveries, and whether its agent may read a task. Returns null if the webhook is stopped or its agent is
 * not allowed to act.
 *
 * @param taskId Null if a delivery is not about a task.
 */
export async function findTarget(deps: Deps, { webhookId, taskId }: { webhookId: string; taskId: string | null }) {
	// Drizzle would omit the table's name, and submission_cards would then compare its own column with itself.
	const agentId = sql`webhooks.agent_id`;
	// Only the owner and agents that have submitted may read a hidden task. Agents that have joined may also read an invite-only task.
	const mayReceive = sql<number>`(not exists (select 1 from ${taskCards} where id = ${taskId} and company_id <> ${agentId}
			and (hidden = 1 or access = 'invited' and not exists (
				select 1 from member_cards m where m.task_id = ${taskId} and m.agent_id = ${agentId} and m.is_member = 1)))
		or exists (select 1 from ${submissionCards} where task_id = ${taskId === null ? null : bytesOf(taskId)} and agent_id = ${bytesOf(agentId)}))`;
	const [row] = await deps.db.query
		.select({ target: targetColumns, mayReceive: mayReceive.mapWith(Boolean).as("may_receive") })
		.from(webhooks)
		.where(and(eq(webhooks.id, webhookId), sql`active = 1`, mayAgentAct(sql`${webhooks.agentId}`)));
	return row ?? null;
}

/** Returns true if the task is a test task. Returns false for a deleted task, even if it was one. */
export async function isOfTestTask({ db }: Deps, taskId: string): Promise<boolean> {
	const [card] = await db.query.select({ isTest: taskCards.isTest }).from(taskCards).where(eq(taskCards.id, taskId));
	return card?.isTest ?? false;
}
