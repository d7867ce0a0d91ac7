// Tells a webhook's owner once that its receiver has been failing for a day, because the owner may not notice otherwise.
import { type FailingWebhook, noteTold, selectUntold } from "../../core/events/webhooks/store.ts";
import { callInChunks } from "../../domain/chunks.ts";
import { DAY_MS, toIso } from "../../platform/clock.ts";
import { timeOfId } from "../../platform/ids.ts";
import type { Deps } from "../../ports/deps.ts";

const TOLD_AFTER_MS = DAY_MS;
const WEBHOOKS_PER_RUN = 500;
const CALLS_AT_ONCE = 50;

/** Tells the owner of each such webhook in the inbox. After a crash, this can run again, because the inbox ignores duplicates. */
export async function tellOfFailingWebhooks(deps: Deps): Promise<void> {
	const due = await selectUntold(deps, { until: deps.clock.now() - TOLD_AFTER_MS, limit: WEBHOOKS_PER_RUN });
	await callInChunks(due, CALLS_AT_ONCE, (webhook) => tell(deps, webhook));
}

async function tell(deps: Deps, webhook: FailingWebhook): Promise<void> {
	const { id, agentId, url, failingSince } = webhook;
	const since = toIso(failingSince).slice(0, 16).replace("T", " ");
	const notice = {
		event: "alert.webhook",
		text: `Your webhook at ${new URL(url).host} has been failing since ${since} UTC. Its deliveries are waiting for a retry or have been lost.`,
		path: `/console/webhooks/${id}`,
		...{ afterCount: null, taskId: null, submissionId: null, dealId: null },
	} as const;
	// A failure is not an event and has no id, so the webhook and the start of the failure identify it.
	const eventId = `${id}/${failingSince}`;
	await deps.hubs.callWorkspace(agentId, (workspace) =>
		workspace.notify({ ...notice, eventId, happenedAt: deps.clock.now(), registeredAt: timeOfId(agentId) }),
	);
	await noteTold(deps, webhook);
}
