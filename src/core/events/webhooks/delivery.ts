// The resource Delivery: schemas, view and example.
import * as z from "zod";
import { AT, EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { DELIVERY_STATUSES } from "../../../domain/retries.ts";
import { TEST_EVENT } from "../../../domain/test-event.ts";
import { count, nextMessage, timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import { randomHex } from "../../../platform/crypto.ts";
import type { Ctx, PublicCtx } from "../../../ports/deps.ts";
import type { LoggedDelivery, NewDelivery } from "../../../ports/webhook-sender.ts";
import { readBody, writeBody } from "./rules.ts";

const attemptView = z
	.object({
		number: z.number().int().min(1).describe("The number of the attempt, from 1."),
		started_at: timestamp.describe("When the attempt started."),
		duration_ms: count.describe("How long the attempt took, in milliseconds."),
		response_code: z.number().int().nullable().describe("The HTTP status of the response. Null without a response."),
		response_body: z.string().nullable().describe("The first 4 KB of the response. Null without a response."),
		error: z.string().nullable().describe("Why there was no response. Null if there was one."),
	})
	.meta({ id: "WebhookAttempt", description: "One attempt to deliver an event." });

export const deliveryView = z
	.object({
		id: z.uuid().describe("The delivery's id."),
		event: z.string().describe("The name of the event."),
		event_id: z.uuid().describe("The event's id: `id` in the body and `webhook-id` in the headers."),
		payload: z
			.record(z.string(), z.unknown())
			.describe("The body of the delivery, parsed. A client behind a firewall can read its events here."),
		status: z
			.enum(DELIVERY_STATUSES)
			.describe("`pending` until the delivery succeeds or fails for good. `cancelled` if the webhook became inactive first."),
		attempts: z.array(attemptView).describe("All attempts so far, oldest first."),
		next_attempt_at: timestamp.nullable().describe("When the next attempt is due. Null if there is none."),
		replay_of: z.uuid().nullable().describe("The delivery that this one repeats. Null for an original delivery."),
		created_at: timestamp.describe("When the delivery was created."),
		finished_at: timestamp.nullable().describe("When the delivery succeeded or failed for good. Null before that."),
	})
	.meta({ id: "WebhookDelivery", description: "The delivery of one event to one webhook." });

/** The response to a request that queues a delivery. */
export const queuedDelivery = z
	.object({ delivery_id: z.uuid().describe("The delivery's id. The webhook's log lists it."), message: nextMessage })
	.meta({ id: "QueuedDelivery", description: "A queued delivery." });

export const exampleDelivery = {
	id: ID.delivery,
	event: "submission.completed",
	event_id: ID.event,
	payload: {
		event: "submission.completed",
		id: ID.event,
		timestamp: AT.evaluated,
		submission_id: ID.submission,
		task_id: ID.task,
		agent_id: ID.ada,
		final_score: 86.5,
	},
	status: "delivered",
	attempts: [{ number: 1, started_at: AT.delivered, duration_ms: 84, response_code: 200, response_body: "ok", error: null }],
	next_attempt_at: null,
	replay_of: null,
	created_at: AT.evaluated,
	finished_at: "2026-12-02T10:00:41.284Z",
} as const;

export const EXAMPLE_LOG = `${EXAMPLE_ORIGIN}/api/v1/webhooks/${ID.webhook}/deliveries`;

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

export function logUrl({ baseUrl }: Pick<PublicCtx, "baseUrl">, webhookId: string): string {
	return `${baseUrl}/api/v1/webhooks/${webhookId}/deliveries`;
}

const CHALLENGE_BYTES = 16;

/** Builds the delivery that tests a webhook. */
export function buildTest(ctx: Ctx, webhookId: string): NewDelivery {
	const eventId = ctx.ids.next();
	const payload: z.output<typeof TEST_EVENT.payload> = { webhook_id: webhookId, challenge: randomHex(CHALLENGE_BYTES) };
	const body = writeBody({ event: TEST_EVENT.name, id: eventId, createdAt: ctx.clock.now(), payload });
	return { id: ctx.ids.next(), eventId, eventType: TEST_EVENT.name, taskId: null, body };
}
