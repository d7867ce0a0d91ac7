import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { countsTowardHost } from "../../../db/conditions.ts";
import { agents } from "../../../db/schema/agents.ts";
import { webhooks } from "../../../db/schema/webhooks.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { CAPPED_TIERS } from "./rules.ts";
import type { WebhookRow } from "./store.ts";

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

/** Stops a webhook. Its object cancels what is pending when it learns of it. */
export function deactivateWebhook(deps: Deps, webhookId: string, inactiveReason: NonNullable<WebhookRow["inactiveReason"]>): Statement {
	return deps.db.query
		.update(webhooks)
		.set({ active: false, inactiveReason })
		.where(and(eq(webhooks.id, webhookId), eq(webhooks.active, true)));
}

/** Records that the receiver passed a test. */
export function verifyWebhook(deps: Deps, webhookId: string): Statement {
	return deps.db.query
		.update(webhooks)
		.set({ verifiedAt: deps.clock.now() })
		.where(and(eq(webhooks.id, webhookId), eq(webhooks.active, true)));
}

export function updateWebhook(deps: Deps, webhookId: string, change: Partial<WebhookRow>): Statement {
	return deps.db.query.update(webhooks).set(change).where(eq(webhooks.id, webhookId));
}
