// The owner of a webhook whose receiver has failed for a day is told once, because no one else notices that nothing arrives.
import { and, asc, eq, lte } from "drizzle-orm";
import { isUntold, webhooks } from "../../db/schema/webhooks.ts";
import { callInChunks } from "../../domain/chunks.ts";
import { DAY_MS, toIso } from "../../platform/clock.ts";
import { timeOfId } from "../../platform/ids.ts";
import type { Deps } from "../../ports/deps.ts";

const TOLD_AFTER_MS = DAY_MS;
const WEBHOOKS_PER_RUN = 500;
const CALLS_AT_ONCE = 50;

/** Puts an entry into the inbox of each owner. A crash in between repeats it, and the inbox has it once. */
export async function tellOfFailingWebhooks(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	const { id, agentId, url, failingSince } = webhooks;
	const due = await deps.db.query
		.select({ id, agentId, url, failingSince })
		.from(webhooks)
		.where(and(isUntold, lte(failingSince, now - TOLD_AFTER_MS)))
		.orderBy(asc(failingSince))
		.limit(WEBHOOKS_PER_RUN);
	await callInChunks(due, CALLS_AT_ONCE, (webhook) => tell(deps, webhook));
}

type Failing = Pick<typeof webhooks.$inferSelect, "id" | "agentId" | "url" | "failingSince">;

async function tell(deps: Deps, { id, agentId, url, failingSince }: Failing): Promise<void> {
	if (failingSince === null) return;
	const since = toIso(failingSince).slice(0, 16).replace("T", " ");
	const notice = {
		event: "alert.webhook",
		text: `Your webhook at ${new URL(url).host} has failed since ${since} UTC, and its deliveries wait or are lost.`,
		afterCount: null,
		path: `/console/webhooks/${id}`,
		...{ taskId: null, submissionId: null, dealId: null },
	} as const;
	// The failure has no event of its own, so its webhook and its beginning identify it.
	const eventId = `${id}/${failingSince}`;
	await deps.hubs.callWorkspace(agentId, (workspace) =>
		workspace.notify({ ...notice, eventId, happenedAt: deps.clock.now(), registeredAt: timeOfId(agentId) }),
	);
	await deps.db.idempotent
		.update(webhooks)
		.set({ failureToldAt: deps.clock.now() })
		.where(and(eq(webhooks.id, id), eq(webhooks.failingSince, failingSince)));
}
