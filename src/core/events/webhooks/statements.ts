import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { agents } from "../../../db/schema/agents.ts";
import { countsTowardHost, webhookScopes, webhooks } from "../../../db/schema/webhooks.ts";
import { dependenceOf } from "../../../db/webhook-ends.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import type { WebhookTarget } from "../../../ports/webhook-sender.ts";
import { CAPPED_TIERS, isOfService } from "./rules.ts";
import type { WebhookRow } from "./store.ts";

/**
 * Inserts a webhook, which depends on the caller's credential. The tier that the agent has when the batch runs decides whether the webhook
 * counts toward its host's limit.
 */
export function insertWebhook(ctx: Ctx, row: Omit<typeof webhooks.$inferInsert, "isCapped">): Statement {
	return ctx.db.query.insert(webhooks).values({ ...row, ...dependenceOf(ctx.actor), isCapped: isOfCappedTier(row.agentId) });
}

function isOfCappedTier(agentId: string): SQL {
	return sql`(select ${inArray(agents.tier, CAPPED_TIERS)} from agents where id = ${agentId})`;
}

/** Builds one statement for any number of scopes, because D1 takes at most 100 parameters. */
export function insertScopes(
	deps: Deps,
	webhookId: string,
	wanted: readonly { readonly kind: "task" | "category"; readonly value: string }[],
): Statement {
	return deps.db.statement(sql`
		insert or ignore into webhook_scopes (kind, value, webhook_id)
		select value->>'kind', value->>'value', ${webhookId} from json_each(${JSON.stringify(wanted)})`);
}

/** Makes the commit fail unless the agent has fewer than `max` active webhooks. */
export function guardActiveCount(deps: Deps, agentId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from webhooks where agent_id = ${agentId} and active = 1) < ${max}`);
}

/**
 * Makes the commit fail if the host already has `max` webhooks that count, unless the agent's tier does not share that limit. Services
 * such as Slack are exempt, because a few strangers could use up the limit for everyone.
 */
export function guardHostRoom(deps: Deps, { agentId, host, url }: Pick<WebhookRow, "agentId" | "host" | "url">, max: number): Statement {
	const hasRoom = sql`(select count(*) from webhooks where ${countsTowardHost(host)}) < ${max}`;
	return guard(deps.db, sql`${Number(isOfService(url))} = 1 or ${hasRoom} or not ${isOfCappedTier(agentId)}`);
}

/** Makes the commit fail unless the webhook is active and its secret has not changed since it was read. */
export function guardSecret(deps: Deps, { id, secretEncrypted }: Pick<WebhookRow, "id" | "secretEncrypted">): Statement {
	return guard(deps.db, sql`exists (select 1 from webhooks where id = ${id} and active = 1 and secret_encrypted = ${secretEncrypted})`);
}

/** Stops a webhook because its receiver responded with 410 or kept failing, unless the webhook's URL or format has changed since. */
export function deactivateWebhook(deps: Deps, target: WebhookTarget, inactiveReason: "gone" | "failing"): Statement {
	return deps.db.query.update(webhooks).set({ active: false, inactiveReason }).where(isStill(target));
}

/** Stops a webhook for good. The webhook's object cancels the pending deliveries when it next reads the webhook. */
export function stopWebhook(deps: Deps, webhookId: string): Statement {
	return deps.db.query.update(webhooks).set({ active: false, inactiveReason: "deleted" }).where(eq(webhooks.id, webhookId));
}

/** Records that the receiver passed a test, unless the webhook was stopped or its URL or format has changed since. */
export function verifyWebhook(deps: Deps, target: WebhookTarget): Statement {
	return deps.db.query.update(webhooks).set({ verifiedAt: deps.clock.now() }).where(isStill(target));
}

function isStill({ webhookId, url, format }: WebhookTarget): SQL | undefined {
	return and(eq(webhooks.id, webhookId), eq(webhooks.active, true), eq(webhooks.url, url), eq(webhooks.format, format));
}

/** Makes the commit fail if the webhook has changed since it was read. */
export function guardUnchanged(deps: Deps, row: WebhookRow): Statement {
	const { id, url, format, active, inactiveReason, verifiedAt } = row;
	const lists = [row.events, row.taskIds, row.categories].map((list) => (list === null ? null : JSON.stringify(list)));
	const isSame = sql`id = ${id} and url = ${url} and format = ${format} and active = ${Number(active)} and inactive_reason is ${inactiveReason}
		and verified_at is ${verifiedAt} and events is ${lists[0]} and task_ids is ${lists[1]} and categories is ${lists[2]}`;
	return guard(deps.db, sql`exists (select 1 from webhooks where ${isSame})`);
}

export function deleteScopes(deps: Deps, webhookId: string): Statement {
	return deps.db.query.delete(webhookScopes).where(eq(webhookScopes.webhookId, webhookId));
}

export function changeWebhook(deps: Deps, webhookId: string, change: Partial<WebhookRow>): Statement {
	return deps.db.query.update(webhooks).set(change).where(eq(webhooks.id, webhookId));
}

/** Makes a webhook depend on the caller's credential, because the caller has set its URL or secret, or reactivated it. */
export function takeOver(ctx: Ctx, webhookId: string): Statement {
	return ctx.db.query.update(webhooks).set(dependenceOf(ctx.actor)).where(eq(webhooks.id, webhookId));
}
