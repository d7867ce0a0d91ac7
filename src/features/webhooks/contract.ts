import * as z from "zod";
import { DELIVERY_STATUSES, INACTIVE_REASONS } from "../../db/schema/webhooks.ts";
import { WEBHOOK_EVENTS } from "../../domain/events.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, text, timestamp, uuid } from "../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../http/pagination.ts";
import { category } from "../tasks/contract.ts";

const eventName = z.enum(WEBHOOK_EVENTS).meta({ id: "WebhookEventName" });

export const webhookRequest = z
	.object({
		url: text({ min: 1, max: 2048 }).meta({ description: "An https address that answers a POST with a 2xx status within 10 seconds." }),
		events: z
			.array(eventName)
			.min(1)
			.max(50)
			.transform((events) => [...new Set(events)]),
		task_ids: z.array(uuid).max(100).nullish().meta({ description: "Only events of these tasks, or of the categories given." }),
		categories: z
			.array(category)
			.max(100)
			.nullish()
			.meta({ description: "Only events of tasks in these categories, or of the tasks given." }),
	})
	.meta({ id: "WebhookRequest" });

const webhookView = z
	.object({
		id: z.uuid(),
		url: z.string(),
		events: z.array(eventName),
		task_ids: z.array(z.uuid()).nullable(),
		categories: z.array(z.string()).nullable(),
		active: z.boolean(),
		inactive_reason: z.enum(INACTIVE_REASONS).optional().meta({
			description:
				"Of an inactive webhook: `deleted` by its owner, `gone` because the receiver answered 410, `failing` after five days without one success.",
		}),
		created_at: timestamp,
	})
	.meta({ id: "Webhook" });

const secretField = z
	.string()
	.regex(/^whsec_[A-Za-z0-9+/]+=*$/)
	.meta({ description: "Signs every delivery. Shown once." });

const createdWebhookView = webhookView.extend({ secret: secretField }).meta({ id: "CreatedWebhook" });

const attemptView = z
	.object({
		number: z.number().int(),
		started_at: timestamp,
		duration_ms: z.number().int(),
		response_code: z.number().int().nullable(),
		response_body: z.string().nullable().meta({ description: "The first 4 KB of the answer." }),
		error: z.string().nullable(),
	})
	.meta({ id: "WebhookAttempt" });

const deliveryView = z
	.object({
		id: z.uuid(),
		event: z.string(),
		event_id: z.uuid(),
		status: z.enum(DELIVERY_STATUSES),
		attempts: z.array(attemptView),
		next_attempt_at: timestamp.nullable(),
		replay_of: z.uuid().nullable(),
		created_at: timestamp,
		finished_at: timestamp.nullable(),
	})
	.meta({ id: "WebhookDelivery" });

const queuedDelivery = z.object({ delivery_id: z.uuid(), message: z.string() }).meta({ id: "QueuedDelivery" });

const shared = { tags: ["Webhooks"], auth: "key", rate: "general" } as const;

export const createWebhook = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/webhooks",
	operationId: "createWebhook",
	summary: "Subscribe an address to events",
	description:
		"Each event is posted as JSON, signed by the secret in X-Svc-Signature and in the Standard Webhooks headers, and retried for a day and a half when it is not taken.",
	body: { schema: webhookRequest, required: true },
	response: { status: 201, description: "The webhook with its secret.", schema: createdWebhookView },
	errors: ["CONFLICT"],
});

export const listWebhooks = endpoint({
	...shared,
	method: "get",
	path: "/api/v1/webhooks",
	operationId: "listWebhooks",
	summary: "List the caller's webhooks",
	description: "Newest first, inactive ones included, without secrets.",
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: { status: 200, description: "A page of webhooks.", schema: pageOf(webhookView).meta({ id: "WebhookList" }) },
	errors: [],
});

export const deleteWebhook = endpoint({
	...shared,
	method: "delete",
	path: "/api/v1/webhooks/{id}",
	operationId: "deleteWebhook",
	summary: "Deactivate a webhook",
	description: "Stops it at once, what is scheduled included. Its log stays readable.",
	params: idParams,
	response: { status: 200, description: "It is inactive.", schema: z.object({ id: z.uuid(), active: z.literal(false) }) },
	errors: ["NOT_FOUND"],
});

export const testWebhook = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/webhooks/{id}/test",
	operationId: "testWebhook",
	summary: "Send a test delivery",
	description: "Queues an event `webhook.test`, signed and retried like every other one. Its log entry tells what came of it.",
	params: idParams,
	response: { status: 200, description: "The delivery is queued.", schema: queuedDelivery },
	errors: ["NOT_FOUND", "CONFLICT"],
});

export const rotateWebhookSecret = endpoint({
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
		schema: z.object({ id: z.uuid(), secret: secretField, previous_secret_expires_at: timestamp }),
	},
	errors: ["NOT_FOUND", "CONFLICT"],
});

export const listDeliveries = endpoint({
	...shared,
	method: "get",
	path: "/api/v1/webhooks/{id}/deliveries",
	operationId: "listWebhookDeliveries",
	summary: "Read a webhook's log",
	description: "Newest first, for 30 days: every attempt with its answer, and when the next one is due.",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: { status: 200, description: "A page of deliveries.", schema: pageOf(deliveryView).meta({ id: "WebhookDeliveryList" }) },
	errors: ["NOT_FOUND"],
});

export const replayDelivery = endpoint({
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
