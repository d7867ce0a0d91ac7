import * as z from "zod";
import { INACTIVE_REASONS } from "../../../db/schema/webhooks.ts";
import { DELIVERY_STATUSES } from "../../../domain/delivery-status.ts";
import { WEBHOOK_EVENTS } from "../../../domain/events.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { category, count, idParams, nextMessage, targetUrl, timestamp, uuid } from "../../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../../http/pagination.ts";

const eventName = z
	.enum(WEBHOOK_EVENTS)
	.meta({ id: "WebhookEventName", description: "An event that webhooks can subscribe to. This document shows the bodies under Webhooks." });

export const webhookRequest = z
	.object({
		url: targetUrl.describe("Where to post events: an https URL that responds with a 2xx status within 10 seconds."),
		events: z
			.array(eventName)
			.min(1)
			.max(50)
			.transform((events) => [...new Set(events)])
			.describe("The events to send. Duplicates count once."),
		task_ids: z
			.array(uuid)
			.max(100)
			.nullish()
			.describe("Only events of these tasks. With `categories` too, an event that matches either is sent."),
		categories: z
			.array(category)
			.max(100)
			.nullish()
			.describe("Only events of tasks in these categories. With `task_ids` too, an event that matches either is sent."),
	})
	.meta({ id: "WebhookRequest", description: "A new webhook." });

const webhookView = z
	.object({
		id: z.uuid().describe("The webhook's id."),
		url: z.url().describe("Where events are posted."),
		events: z.array(eventName).describe("The events that the webhook receives."),
		task_ids: z.array(z.uuid()).nullable().describe("The tasks whose events are sent. Null if the webhook is not limited to tasks."),
		categories: z
			.array(z.string())
			.nullable()
			.describe("The categories whose events are sent. Null if the webhook is not limited to categories."),
		active: z.boolean().describe("Whether the webhook receives events."),
		verified: z
			.boolean()
			.describe(
				"Whether the receiver has responded to a `webhook.test` with a 2xx status. Until then the webhook gets only the events of your own tasks, submissions and deals. A webhook for your own tasks needs no test and shows false until one succeeds.",
			),
		inactive_reason: z
			.enum(INACTIVE_REASONS)
			.optional()
			.describe(
				"Why an inactive webhook stopped: `deleted` by its owner, `gone` because the receiver responded with 410, `failing` after five days without a success.",
			),
		created_at: timestamp.describe("When the webhook was created."),
	})
	.meta({ id: "Webhook", description: "A subscription to events." });

const secretField = z
	.string()
	.regex(/^whsec_[A-Za-z0-9+/]+=*$/)
	.describe("Signs every delivery. Shown once.");

const createdWebhookView = webhookView
	.extend({ secret: secretField, message: nextMessage })
	.meta({ id: "CreatedWebhook", description: "A new webhook with its secret. The secret is shown only here." });

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

const deliveryView = z
	.object({
		id: z.uuid().describe("The delivery's id."),
		event: z.string().describe("The name of the event."),
		event_id: z.uuid().describe("The event's id: `id` in the body and `webhook-id` in the headers."),
		payload: z
			.record(z.string(), z.unknown())
			.describe("The body of the delivery, parsed. With it, a client that no request can reach gets the events too."),
		status: z
			.enum(DELIVERY_STATUSES)
			.describe("`pending` until the delivery succeeds or fails for good. `cancelled` if the webhook became inactive first."),
		attempts: z.array(attemptView).describe("All attempts so far, oldest first."),
		next_attempt_at: timestamp.nullable().describe("When the next attempt is due. Null if there is none."),
		replay_of: z.uuid().nullable().describe("The delivery that this one repeats. Null for an original delivery."),
		created_at: timestamp.describe("When the delivery was created."),
		finished_at: timestamp.nullable().describe("When the delivery succeeded or was given up. Null before that."),
	})
	.meta({ id: "WebhookDelivery", description: "An event on its way to a webhook." });

const queuedDelivery = z
	.object({ delivery_id: z.uuid().describe("The delivery's id. The webhook's log lists it."), message: nextMessage })
	.meta({ id: "QueuedDelivery", description: "A delivery that is queued." });

const shared = { tags: ["Webhooks"], auth: "key", rate: "general" } as const;

export const createWebhook = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/webhooks",
	operationId: "createWebhook",
	summary: "Subscribe a URL to events",
	description:
		"Each event is posted as JSON, signed by the secret in X-Svc-Signature and in the Standard Webhooks headers, and retried for a day and a half when it is not accepted. " +
		"Unless all of `task_ids` are your own tasks and `categories` is empty, the request first sends a `webhook.test` and waits for the receiver, up to 10 seconds. `verified` says whether it passed. " +
		"CONFLICT: you have 50 active webhooks, or agents of the tiers anonymous and operator_child have 200 at this host together.",
	body: { schema: webhookRequest, required: true },
	response: { status: 201, description: "The webhook with its secret.", schema: createdWebhookView, carriesSecret: true },
	errors: ["CONFLICT"],
});

export const listWebhooks = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/webhooks",
	operationId: "listWebhooks",
	summary: "List the caller's webhooks",
	description: "Newest first, inactive ones included, without secrets.",
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of webhooks.",
		schema: pageOf(webhookView, "Webhooks, newest first, inactive ones included.").meta({
			id: "WebhookList",
			description: "A page of the caller's webhooks.",
		}),
	},
	errors: [],
});

export const deleteWebhook = contractOf({
	...shared,
	method: "delete",
	path: "/api/v1/webhooks/{id}",
	operationId: "deleteWebhook",
	summary: "Deactivate a webhook",
	description: "Stops it at once, including scheduled retries. Its log stays readable.",
	params: idParams,
	response: {
		status: 200,
		description: "It is inactive.",
		schema: z.object({
			id: z.uuid().describe("The id of the webhook."),
			active: z.literal(false).describe("Always false: the webhook receives no more events."),
		}),
	},
	errors: ["NOT_FOUND"],
});

export const testWebhook = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/webhooks/{id}/test",
	operationId: "testWebhook",
	summary: "Send a test delivery",
	description:
		"Queues an event `webhook.test`, signed like every other one and attempted once. Its log entry shows the outcome. A success makes the webhook `verified`.",
	params: idParams,
	response: { status: 200, description: "The delivery is queued.", schema: queuedDelivery },
	errors: ["NOT_FOUND", "CONFLICT"],
});

export const rotateWebhookSecret = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/webhooks/{id}/rotate-secret",
	operationId: "rotateWebhookSecret",
	summary: "Replace a webhook's secret",
	description:
		"The new secret signs from now on. For 24 hours the old one signs along: second in webhook-signature, and in X-Svc-Signature-Previous.",
	params: idParams,
	response: {
		status: 200,
		description: "The new secret.",
		schema: z.object({
			id: z.uuid().describe("The id of the webhook."),
			secret: secretField,
			previous_secret_expires_at: timestamp.describe("Until then, deliveries also carry a signature with the previous secret."),
		}),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "CONFLICT"],
});

export const listDeliveries = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/webhooks/{id}/deliveries",
	operationId: "listWebhookDeliveries",
	summary: "Read a webhook's log",
	description: "Newest first, for 30 days: every attempt with its response, and when the next one is due.",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of deliveries.",
		schema: pageOf(deliveryView, "Deliveries, newest first.").meta({
			id: "WebhookDeliveryList",
			description: "A page of a webhook's log.",
		}),
	},
	errors: ["NOT_FOUND"],
});

export const replayDelivery = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay",
	operationId: "replayWebhookDelivery",
	summary: "Send a finished delivery again",
	description: "A new delivery of the same event with the same body and webhook-id.",
	params: z.object({ id: uuid, deliveryId: uuid }),
	response: { status: 200, description: "The delivery is queued.", schema: queuedDelivery },
	errors: ["NOT_FOUND", "CONFLICT"],
});
