import { eq, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { evaluationJobs } from "../../db/schema/submissions.ts";
import { webhookDeliveries } from "../../db/schema/webhooks.ts";
import { MINUTE_MS } from "../../platform/clock.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

/** A job that an operator tries again has at least this much time. */
const MORE_TIME_MS = 30 * MINUTE_MS;

const isIdle = (now: number) => sql`coalesce(lease_expires_at, 0) <= ${now}`;

/** Holds while an evaluation has not ended and no consumer works on it. */
export function guardIdleJob(deps: Deps, jobId: string, now: number): Statement {
	return guard(deps.db, sql`exists (select 1 from evaluation_jobs where id = ${jobId} and finished_at is null and ${isIdle(now)})`);
}

export function makeJobDue(deps: Deps, jobId: string, now: number): Statement {
	return deps.db.query
		.update(evaluationJobs)
		.set({
			dueAt: now,
			leaseToken: null,
			leaseExpiresAt: null,
			waitingFor: null,
			giveUpAt: sql`max(${evaluationJobs.giveUpAt}, ${now + MORE_TIME_MS})`,
		})
		.where(eq(evaluationJobs.id, jobId));
}

/** Holds while a delivery has not ended and no consumer works on it. */
export function guardIdleDelivery(deps: Deps, deliveryId: string, now: number): Statement {
	return guard(deps.db, sql`exists (select 1 from webhook_deliveries where id = ${deliveryId} and status = 'pending' and ${isIdle(now)})`);
}

export function makeDeliveryDue(deps: Deps, deliveryId: string, now: number): Statement {
	return deps.db.query
		.update(webhookDeliveries)
		.set({ dueAt: now, leaseToken: null, leaseExpiresAt: null })
		.where(eq(webhookDeliveries.id, deliveryId));
}
