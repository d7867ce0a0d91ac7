// How webhooks and their log look on the wire.
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import type { LoggedDelivery } from "../../../ports/webhook-sender.ts";
import { readBody } from "./rules.ts";
import type * as store from "./store.ts";

export function viewDelivery(row: LoggedDelivery) {
	return {
		id: row.id,
		event: row.eventType,
		event_id: row.eventId,
		payload: readBody(row.body),
		status: row.status,
		attempts: row.attempts.map((attempt) => ({
			number: attempt.number,
			started_at: toIso(attempt.startedAt),
			duration_ms: attempt.durationMs,
			response_code: attempt.responseCode,
			response_body: attempt.responseBody,
			error: attempt.error,
		})),
		next_attempt_at: row.status === "pending" ? toIso(row.dueAt) : null,
		replay_of: row.replayOf,
		created_at: toIso(row.createdAt),
		finished_at: toIsoOrNull(row.finishedAt),
	};
}

export function viewWebhook(
	row: Pick<
		store.WebhookRow,
		"id" | "url" | "events" | "taskIds" | "categories" | "active" | "inactiveReason" | "verifiedAt" | "createdAt"
	>,
) {
	return {
		id: row.id,
		url: row.url,
		events: row.events,
		task_ids: row.taskIds,
		categories: row.categories,
		active: row.active,
		verified: row.verifiedAt !== null,
		...(row.inactiveReason === null ? {} : { inactive_reason: row.inactiveReason }),
		created_at: toIso(row.createdAt),
	};
}
