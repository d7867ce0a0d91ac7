import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { countsTowardHost } from "../../db/conditions.ts";
import { RELEASED } from "../../db/leases.ts";
import { agents } from "../../db/schema/agents.ts";
import { webhookDeliveries as deliveries, type LoggedAttempt, webhookPayloads as payloads, webhooks } from "../../db/schema/webhooks.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { CAPPED_TIERS } from "./rules.ts";
import type { DeliveryRow, WebhookRow } from "./store.ts";

/** The tier that its agent has when the batch runs decides whether it counts toward the limit of its host. */
export function insertWebhook(deps: Deps, row: Omit<typeof webhooks.$inferInsert, "isCapped">): Statement {
	return deps.db.query.insert(webhooks).values({ ...row, isCapped: isOfCappedTier(row.agentId) });
}

function isOfCappedTier(agentId: string): SQL {
	return sql`(select ${inArray(agents.tier, CAPPED_TIERS)} from agents where id = ${agentId})`;
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

/** Holds while the agent has fewer than `max` active webhooks. */
export function guardActiveCount(deps: Deps, agentId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from webhooks where agent_id = ${agentId} and active = 1) < ${max}`);
}

/** Holds while the host has fewer than `max` webhooks that count, or the agent's tier does not share that limit. */
export function guardHostRoom(deps: Deps, { agentId, host }: Pick<WebhookRow, "agentId" | "host">, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from webhooks where ${countsTowardHost(host)}) < ${max} or not ${isOfCappedTier(agentId)}`);
}

/** Holds while the webhook is active and its secret is the one that was read. */
export function guardSecret(deps: Deps, { id, secretSealed }: Pick<WebhookRow, "id" | "secretSealed">): Statement {
	return guard(deps.db, sql`exists (select 1 from webhooks where id = ${id} and active = 1 and secret_sealed = ${secretSealed})`);
}

/** Holds while the webhook is active. */
export function guardActive(deps: Deps, webhookId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from webhooks where id = ${webhookId} and active = 1)`);
}

/** Stops a webhook and cancels its pending deliveries. */
export function deactivateWebhook(deps: Deps, webhookId: string, inactiveReason: NonNullable<WebhookRow["inactiveReason"]>): Statement[] {
	return [
		deps.db.query
			.update(webhooks)
			.set({ active: false, inactiveReason })
			.where(and(eq(webhooks.id, webhookId), eq(webhooks.active, true))),
		deps.db.query
			.update(deliveries)
			.set({ status: "cancelled", finishedAt: deps.clock.now(), ...RELEASED })
			.where(and(eq(deliveries.webhookId, webhookId), sql`status = 'pending'`)),
	];
}

export function updateWebhook(deps: Deps, webhookId: string, change: Partial<WebhookRow>): Statement {
	return deps.db.query.update(webhooks).set(change).where(eq(webhooks.id, webhookId));
}

/** The first failure after a success sets the time; later failures keep it. */
export function updateFailingSince(deps: Deps, webhookId: string, now: number): Statement {
	return deps.db.query
		.update(webhooks)
		.set({ failingSince: sql`coalesce(failing_since, ${now})` })
		.where(eq(webhooks.id, webhookId));
}

export function insertPayload(deps: Deps, row: typeof payloads.$inferInsert): Statement {
	return deps.db.query.insert(payloads).values(row).onConflictDoNothing();
}

export function insertDelivery(deps: Deps, row: typeof deliveries.$inferInsert): Statement {
	return deps.db.query.insert(deliveries).values(row);
}

interface AttemptEnd {
	readonly attempt: LoggedAttempt;
	readonly status: DeliveryRow["status"];
	/** When the next attempt is due. Only for a delivery that stays pending. */
	readonly dueAt?: number;
}

/** Logs an attempt, and releases the lease with its outcome. Put `guardLease` before it. */
export function endAttempt(deps: Deps, deliveryId: string, { attempt, ...end }: AttemptEnd): Statement {
	const finishedAt = end.status === "pending" ? null : deps.clock.now();
	const attemptLog = sql`json_insert(attempt_log, '$[#]', json(${JSON.stringify(attempt)}))`;
	return deps.db.query
		.update(deliveries)
		.set({ ...end, finishedAt, attemptLog, ...RELEASED })
		.where(eq(deliveries.id, deliveryId));
}
