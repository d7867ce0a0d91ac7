// The resource Webhook: its schemas, its view, its example, and the checks that its endpoints share.
import * as z from "zod";
import { INACTIVE_REASONS } from "../../../db/schema/webhooks.ts";
import { AppError } from "../../../domain/errors.ts";
import { WEBHOOK_EVENTS } from "../../../domain/events.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { randomBytes } from "../../../platform/crypto.ts";
import { describeError } from "../../../platform/log.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { Target } from "../../../ports/webhook-sender.ts";
import { findWebhook, type WebhookRow } from "./store.ts";

export const eventName = z
	.enum(WEBHOOK_EVENTS)
	.meta({ id: "WebhookEventName", description: "An event that webhooks can subscribe to. This document shows the bodies under Webhooks." });

export const webhookView = z
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

export const secretField = z
	.string()
	.regex(/^whsec_[A-Za-z0-9+/]+=*$/)
	.describe("Signs every delivery. Shown once.");

export const exampleWebhook = {
	id: ID.webhook,
	url: "https://hooks.harbour.example/bounties",
	events: ["submission.completed" as const, "deal.created" as const],
	task_ids: [ID.task],
	categories: null,
	active: true,
	verified: true,
	created_at: AT.subscribed,
};

export function viewWebhook(
	row: Pick<WebhookRow, "id" | "url" | "events" | "taskIds" | "categories" | "active" | "inactiveReason" | "verifiedAt" | "createdAt">,
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

const SECRET_BYTES = 32;

export function createSecret(): string {
	return `whsec_${randomBytes(SECRET_BYTES).toBase64()}`;
}

/** @throws AppError `NOT_FOUND`, for the webhook of another agent too. */
export async function getOwnWebhook(ctx: Ctx, webhookId: string): Promise<WebhookRow> {
	const webhook = await findWebhook(ctx, webhookId);
	if (webhook === null || webhook.agentId !== ctx.actor.agentId) {
		throw new AppError("NOT_FOUND", { message: "You have no such webhook. GET /api/v1/webhooks lists yours." });
	}
	return webhook;
}

/** @throws AppError `CONFLICT` for a webhook that was stopped. */
export function assertActive(webhook: WebhookRow): WebhookRow {
	if (!webhook.active)
		throw new AppError("CONFLICT", { message: "This webhook is inactive. Create a new one with POST /api/v1/webhooks." });
	return webhook;
}

/** The object of a webhook sends to this target. */
export function targetOf({ id, ...webhook }: Omit<Target, "webhookId"> & { readonly id: string }): Target {
	const { url, host, secretSealed, previousSecretSealed, previousSecretExpiresAt } = webhook;
	return { webhookId: id, url, host, secretSealed, previousSecretSealed, previousSecretExpiresAt };
}

/** Tells the object of a webhook that the webhook has changed. An object that is not told reads the webhook before its next attempt. */
export async function refreshSender(ctx: Ctx, webhookId: string): Promise<void> {
	try {
		await ctx.hubs.callSender(webhookId, (sender) => sender.refresh());
	} catch (error) {
		ctx.log.error("sender_not_refreshed", { webhook_id: webhookId, ...describeError(error) });
	}
}
