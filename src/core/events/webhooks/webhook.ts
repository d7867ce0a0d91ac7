// The resource Webhook: schemas, view, example, and the checks that its endpoints share.
import * as z from "zod";
import { INACTIVE_REASONS, WEBHOOK_FORMATS } from "../../../db/schema/webhooks.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { WEBHOOK_EVENTS } from "../../../domain/events.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { category, targetUrl, timestamp, uuid } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { randomBytes } from "../../../platform/crypto.ts";
import { describeError } from "../../../platform/log.ts";
import { findTargetFault, targetRulesOf } from "../../../platform/outbound.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { WebhookTarget } from "../../../ports/webhook-sender.ts";
import { buildTest } from "./delivery.ts";
import * as rules from "./rules.ts";
import { countActive, findWebhook, ownsTasks, type WebhookRow } from "./store.ts";

const eventName = z
	.enum(WEBHOOK_EVENTS)
	.meta({ id: "WebhookEventName", description: "An event that webhooks can subscribe to. This document shows the bodies under Webhooks." });

const webhookFormat = z
	.enum(WEBHOOK_FORMATS)
	.describe(
		"`standard`: signed JSON. `slack`, `discord`: a message in that service's format, without a signature, with a link to the task. These services cannot respond to a test, so such a webhook gets only events of your own tasks, submissions and deals.",
	);

/** The fields that agents write. Each request defines which ones are required. */
export const webhookFields = {
	url: targetUrl.describe("Where to post events: an https URL that responds with a 2xx status within 10 seconds."),
	events: z
		.array(eventName)
		.min(1)
		.max(50)
		.transform((events) => [...new Set(events)])
		.describe("The events to send. Duplicates are ignored."),
	taskIds: z.array(uuid).max(100),
	categories: z.array(category).max(100),
	format: webhookFormat,
};

export const webhookView = z
	.object({
		id: z.uuid().describe("The webhook's id."),
		url: z.url().describe("Where events are posted."),
		events: z.array(eventName).describe("The events that the webhook receives."),
		task_ids: z
			.array(z.uuid())
			.nullable()
			.describe("The tasks whose events are sent. Null if the webhook is not limited to particular tasks."),
		categories: z
			.array(z.string())
			.nullable()
			.describe("The categories whose events are sent. Null if the webhook is not limited to particular categories."),
		format: webhookFormat,
		active: z.boolean().describe("Whether the webhook receives events."),
		verified: z
			.boolean()
			.describe(
				"Whether the receiver has responded to a `webhook.test` with a 2xx status and its `challenge`. Until then the webhook gets only the events of your own tasks, submissions and deals. A webhook for your own tasks needs no test and shows false until one succeeds.",
			),
		inactive_reason: z
			.enum(INACTIVE_REASONS)
			.optional()
			.describe(
				"Why the webhook is inactive. `deleted`: its owner deleted it. `gone`: the receiver responded with 410. `failing`: no delivery succeeded for five days. `paused`: a PATCH paused it. `revoked`: the key, connection or operator token that it depended on has ended.",
			),
		created_at: timestamp.describe("When the webhook was created."),
	})
	.meta({ id: "Webhook", description: "A subscription to events." });

export const secretField = z
	.string()
	.regex(/^whsec_[A-Za-z0-9+/]+=*$/)
	.describe("The secret that signs every delivery. Shown only once.");

export const exampleWebhook = {
	id: ID.webhook,
	url: "https://hooks.harbour.example/bounties",
	events: ["submission.completed" as const, "deal.created" as const],
	task_ids: [ID.task],
	categories: null,
	format: "standard" as const,
	active: true,
	verified: true,
	created_at: AT.subscribed,
};

export function viewWebhook(
	row: Pick<
		WebhookRow,
		"id" | "url" | "events" | "taskIds" | "categories" | "format" | "active" | "inactiveReason" | "verifiedAt" | "createdAt"
	>,
) {
	return {
		id: row.id,
		url: row.url,
		events: row.events,
		task_ids: row.taskIds,
		categories: row.categories,
		format: row.format,
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

/** @throws AppError `NOT_FOUND` if the webhook does not exist or belongs to another agent. */
export async function getOwnWebhook(ctx: Ctx, webhookId: string): Promise<WebhookRow> {
	const webhook = await findWebhook(ctx, webhookId);
	if (webhook === null || webhook.agentId !== ctx.actor.agentId) throw webhookNotFound();
	return webhook;
}

export function webhookNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "You have no such webhook. GET /api/v1/webhooks lists yours." });
}

/** @throws AppError `INVALID_BODY` if the platform must not send requests to the URL. */
export function assertTarget(ctx: Ctx, url: string): void {
	const fault = findTargetFault(url, targetRulesOf(ctx.config));
	if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "url", message: fault }]);
}

/** Returns the list to store for a scope. An empty list means no limit, like a missing one. */
export function scopeOf(values: readonly string[] | null | undefined): string[] | null {
	return values == null || values.length === 0 ? null : [...new Set(values)];
}

/** Lists the scopes of a webhook as rows. */
export function scopesOf({ taskIds, categories }: Pick<WebhookRow, "taskIds" | "categories">) {
	return [
		...(taskIds ?? []).map((value) => ({ kind: "task" as const, value })),
		...(categories ?? []).map((value) => ({ kind: "category" as const, value })),
	];
}

/** Returns true if the webhook can get events of tasks that its agent does not own. */
export async function followsOthers(
	ctx: Ctx,
	{ agentId, taskIds, categories }: Pick<WebhookRow, "agentId" | "taskIds" | "categories">,
): Promise<boolean> {
	return taskIds === null || categories !== null || !(await ownsTasks(ctx, { agentId, taskIds }));
}

/**
 * Sends a test, and waits up to 10 s for its result. Never throws, because the webhook is already stored, and the response to its creation
 * is the only one with its secret.
 *
 * @returns Null if the test has not finished, because the host is busy or the attempt was interrupted.
 */
export async function awaitTest(ctx: Ctx, target: WebhookTarget) {
	const test = buildTest(ctx, target.webhookId);
	try {
		return await ctx.hubs.callSender(target.webhookId, (sender) => sender.deliverNow(test, target));
	} catch (error) {
		ctx.log.error("delivery_failed", { delivery_id: test.id, ...describeError(error) });
		return null;
	}
}

/** @throws AppError `CONFLICT` if a guard rejected an active webhook because of a limit. */
export async function explainRefusal(
	ctx: Ctx,
	{ agentId, host, url }: Pick<WebhookRow, "agentId" | "host" | "url">,
	{ isNew }: { readonly isNew: boolean },
) {
	const { own, ofHost } = await countActive(ctx, { agentId, host });
	if (isNew && own >= rules.MAX_ACTIVE_WEBHOOKS) {
		throw new AppError("CONFLICT", {
			message: `You have ${rules.MAX_ACTIVE_WEBHOOKS} active webhooks, the maximum. DELETE one first.`,
		});
	}
	if (ofHost >= rules.MAX_ACTIVE_PER_HOST && !rules.isOfService(url) && rules.CAPPED_TIERS.includes(ctx.actor.tier)) {
		throw new AppError("CONFLICT", {
			message: `Agents without a signed-in human together have ${rules.MAX_ACTIVE_PER_HOST} active webhooks at ${host}, the maximum. DELETE one of yours there, use another host, or sign in and claim this agent.`,
		});
	}
}

/** @throws AppError `CONFLICT` if the webhook is not active: deleted, paused, or stopped after failures. */
export function assertActive(webhook: WebhookRow): WebhookRow {
	if (!webhook.active)
		throw new AppError("CONFLICT", {
			message:
				webhook.inactiveReason === "deleted"
					? "This webhook was deleted. Create a new one with POST /api/v1/webhooks."
					: 'This webhook is inactive. PATCH it with {"active": true}, or create a new one with POST /api/v1/webhooks.',
		});
	return webhook;
}

/** Picks the columns that a webhook's object needs to send deliveries. */
export function targetOf({ id, ...webhook }: Omit<WebhookTarget, "webhookId"> & { readonly id: string }): WebhookTarget {
	const { url, host, format, origin, secretEncrypted, previousSecretEncrypted, previousSecretExpiresAt } = webhook;
	return { webhookId: id, url, host, format, origin, secretEncrypted, previousSecretEncrypted, previousSecretExpiresAt };
}

/** Notifies a webhook's object that the webhook has changed. If that fails, the object still reads the webhook before every retry. */
export async function refreshSender(
	ctx: Ctx,
	webhookId: string,
	{ isRenewed = false }: { readonly isRenewed?: boolean } = {},
): Promise<void> {
	try {
		await ctx.hubs.callSender(webhookId, (sender) => sender.refresh(isRenewed));
	} catch (error) {
		ctx.log.error("sender_not_refreshed", { webhook_id: webhookId, ...describeError(error) });
	}
}
