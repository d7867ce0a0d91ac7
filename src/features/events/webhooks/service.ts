import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { SEALED_COLUMNS } from "../../../db/sealed-columns.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { TEST_EVENT } from "../../../domain/events.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { randomBytes } from "../../../platform/crypto.ts";
import { describeError } from "../../../platform/log.ts";
import { findTargetFault, readTargetHost, targetRulesOf } from "../../../platform/outbound.ts";
import { seal } from "../../../platform/sealed.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { NewDelivery, Target } from "../../../ports/webhook-sender.ts";
import type { webhookRequest } from "./contract.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { viewDelivery, viewWebhook } from "./views.ts";

const SECRET_BYTES = 32;

/**
 * Subscribes a URL to events and, if it follows tasks of others, waits at most 10 s for its receiver to pass a test.
 * Contract: "Webhooks".
 *
 * @throws AppError `INVALID_BODY` for a URL that the platform does not send to, `CONFLICT` when there are too many.
 */
export async function createWebhook(ctx: Ctx, input: z.output<typeof webhookRequest>) {
	const targetRules = targetRulesOf(ctx.config);
	const fault = findTargetFault(input.url, targetRules);
	if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "url", message: fault }]);
	const secret = createSecret();
	const row = {
		id: ctx.ids.next(),
		agentId: ctx.actor.agentId,
		url: input.url,
		host: readTargetHost(input.url, targetRules),
		events: input.events,
		taskIds: scopeOf(input.task_ids),
		categories: scopeOf(input.categories),
		secretSealed: await seal(ctx.config.keys, SEALED_COLUMNS.webhookSecret.purpose, secret),
		previousSecretSealed: null,
		previousSecretExpiresAt: null,
		active: true,
		inactiveReason: null,
		createdAt: ctx.clock.now(),
	};
	const isTested = await followsOthers(ctx, row);
	await insertWithinLimits(ctx, row);
	const outcome = isTested ? await awaitTest(ctx, targetOf(row)) : null;
	const state = { ...row, ...(outcome === "gone" ? ({ active: false, inactiveReason: "gone" } as const) : {}) };
	const verifiedAt = outcome === "delivered" ? row.createdAt : null;
	const message = rules.describeCreation({ isTested, outcome, testUrl: `${ctx.baseUrl}/api/v1/webhooks/${row.id}/test` });
	return { ...viewWebhook({ ...state, verifiedAt }), secret, message };
}

/** Whether a webhook asks for events of tasks that are not its agent's own. */
async function followsOthers(ctx: Ctx, { agentId, taskIds, categories }: NewWebhook): Promise<boolean> {
	return taskIds === null || categories !== null || !(await store.ownsTasks(ctx, { agentId, taskIds }));
}

type NewWebhook = Pick<store.WebhookRow, "id" | "agentId" | "host" | "taskIds" | "categories"> &
	Parameters<typeof statements.insertWebhook>[1];

/** The guards decide. Only after they have refused, a read finds out why. */
async function insertWithinLimits(ctx: Ctx, row: NewWebhook): Promise<void> {
	const wanted = [
		...(row.taskIds ?? []).map((value) => ({ kind: "task" as const, value })),
		...(row.categories ?? []).map((value) => ({ kind: "category" as const, value })),
	];
	let isRefused = false;
	await decideAndCommit(ctx.db, async () => {
		if (isRefused) await assertRoomForOne(ctx, row);
		isRefused = true;
		await commit(ctx.db, [
			statements.guardActiveCount(ctx, row.agentId, rules.MAX_ACTIVE_WEBHOOKS),
			statements.guardHostRoom(ctx, row, rules.MAX_ACTIVE_PER_HOST),
			statements.insertWebhook(ctx, row),
			...(wanted.length === 0 ? [] : [statements.insertScopes(ctx, row.id, wanted)]),
		]);
	});
}

/**
 * Attempts the first test, 10 s at most. It never fails: the webhook exists, and its secret is in this response only.
 *
 * @returns Null when the test is still to come, because the host is busy or the attempt was interrupted.
 */
async function awaitTest(ctx: Ctx, target: Target) {
	const test = buildTest(ctx, target.webhookId);
	try {
		return await ctx.hubs.callSender(target.webhookId, (sender) => sender.deliverNow(test, target));
	} catch (error) {
		ctx.log.error("delivery_failed", { delivery_id: test.id, ...describeError(error) });
		return null;
	}
}

function createSecret(): string {
	return `whsec_${randomBytes(SECRET_BYTES).toBase64()}`;
}

/** An empty list restricts nothing, as an absent one does. */
function scopeOf(values: readonly string[] | null | undefined): string[] | null {
	return values == null || values.length === 0 ? null : [...new Set(values)];
}

async function assertRoomForOne(ctx: Ctx, { agentId, host }: NewWebhook): Promise<void> {
	const { own, ofHost } = await store.countActive(ctx, { agentId, host });
	if (own >= rules.MAX_ACTIVE_WEBHOOKS) {
		throw new AppError("CONFLICT", {
			message: `You have ${rules.MAX_ACTIVE_WEBHOOKS} active webhooks, the maximum. DELETE one first.`,
		});
	}
	if (ofHost >= rules.MAX_ACTIVE_PER_HOST && rules.CAPPED_TIERS.includes(ctx.actor.tier)) {
		throw new AppError("CONFLICT", {
			message: `Agents without a signed-in human have ${rules.MAX_ACTIVE_PER_HOST} active webhooks at ${host} together, the maximum. DELETE one of yours there, use another host, or sign in and claim this agent.`,
		});
	}
}

const idCursor = z.tuple([uuid]);

interface ListWebhookInput {
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** The caller's webhooks, newest first. */
export async function listWebhooks(ctx: Ctx, { limit, cursor }: ListWebhookInput) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const rows = await store.selectWebhooks(ctx, { agentId: ctx.actor.agentId, before, limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return { data: page.rows.map(viewWebhook), pagination: page.pagination };
}

/** Stops a webhook and cancels its pending deliveries. Idempotent. */
export async function deleteWebhook(ctx: Ctx, webhookId: string) {
	const webhook = assertOwn(ctx, await store.findWebhook(ctx, webhookId));
	if (webhook.active) await commit(ctx.db, [statements.deactivateWebhook(ctx, webhookId, "deleted")]);
	await refreshSender(ctx, webhookId);
	return { id: webhookId, active: false as const };
}

/** Tells the object of a webhook that the webhook has changed. An object that is not told reads the webhook before it tries again. */
async function refreshSender(ctx: Ctx, webhookId: string): Promise<void> {
	try {
		await ctx.hubs.callSender(webhookId, (sender) => sender.refresh());
	} catch (error) {
		ctx.log.error("sender_not_refreshed", { webhook_id: webhookId, ...describeError(error) });
	}
}

/** Sends a test event to this webhook only. */
export async function testWebhook(ctx: Ctx, webhookId: string) {
	const webhook = assertActive(assertOwn(ctx, await store.findWebhook(ctx, webhookId)));
	const test = buildTest(ctx, webhookId);
	await ctx.hubs.callSender(webhookId, (sender) => sender.deliver(test, targetOf(webhook)));
	const message = `A test event is on its way. Its outcome shows in ${logUrl(ctx, webhookId)}.`;
	return { delivery_id: test.id, message };
}

function buildTest(ctx: Ctx, webhookId: string): NewDelivery {
	const eventId = ctx.ids.next();
	const payload: z.output<typeof TEST_EVENT.payload> = { webhook_id: webhookId };
	const body = rules.writeBody({ event: TEST_EVENT.name, id: eventId, createdAt: ctx.clock.now(), payload });
	return { id: ctx.ids.next(), eventId, eventType: TEST_EVENT.name, taskId: null, body };
}

/** Sends a finished delivery's event once more, as a delivery of its own. */
export async function replayDelivery(ctx: Ctx, { id: webhookId, deliveryId }: { id: string; deliveryId: string }) {
	const webhook = assertActive(assertOwn(ctx, await store.findWebhook(ctx, webhookId)));
	const replay = { id: ctx.ids.next(), deliveryId };
	const outcome = await ctx.hubs.callSender(webhookId, (sender) => sender.replay(replay, targetOf(webhook)));
	if (outcome === "missing") throw new AppError("NOT_FOUND", { message: "This webhook has no such delivery." });
	if (outcome === "pending") {
		throw new AppError("CONFLICT", { message: "This delivery is still being attempted. Replay it when it has ended." });
	}
	return { delivery_id: replay.id, message: `The event is being sent again. See the result in ${logUrl(ctx, webhookId)}.` };
}

function logUrl(ctx: Ctx, webhookId: string): string {
	return `${ctx.baseUrl}/api/v1/webhooks/${webhookId}/deliveries`;
}

/** Replaces the secret. Deliveries are also signed with the replaced one for 24 hours; an even older one stops at once. */
export function rotateSecret(ctx: Ctx, webhookId: string) {
	return decideAndCommit(ctx.db, async () => {
		const webhook = assertActive(assertOwn(ctx, await store.findWebhook(ctx, webhookId)));
		const secret = createSecret();
		const expiresAt = ctx.clock.now() + rules.SECRET_OVERLAP_MS;
		await commit(ctx.db, [
			statements.guardSecret(ctx, webhook),
			statements.updateWebhook(ctx, webhookId, {
				secretSealed: await seal(ctx.config.keys, SEALED_COLUMNS.webhookSecret.purpose, secret),
				previousSecretSealed: webhook.secretSealed,
				previousSecretExpiresAt: expiresAt,
			}),
		]);
		await refreshSender(ctx, webhookId);
		return { id: webhookId, secret, previous_secret_expires_at: toIso(expiresAt) };
	});
}

/** The log of one webhook, newest first. */
export async function listDeliveries(ctx: Ctx, webhookId: string, { limit, cursor }: ListWebhookInput) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	assertOwn(ctx, await store.findWebhook(ctx, webhookId));
	const rows = await ctx.hubs.callSender(webhookId, (sender) => sender.listDeliveries({ before, limit: limit + 1 }));
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return { data: page.rows.map(viewDelivery), pagination: page.pagination };
}

/** The webhook of another agent is 404, like an unknown one. */
function assertOwn(ctx: Ctx, webhook: store.WebhookRow | null): store.WebhookRow {
	if (webhook === null || webhook.agentId !== ctx.actor.agentId) {
		throw new AppError("NOT_FOUND", { message: "You have no such webhook. GET /api/v1/webhooks lists yours." });
	}
	return webhook;
}

/** @throws AppError `CONFLICT` for a webhook that was stopped. */
export function assertActive(webhook: store.WebhookRow): store.WebhookRow {
	if (!webhook.active)
		throw new AppError("CONFLICT", { message: "This webhook is inactive. Create a new one with POST /api/v1/webhooks." });
	return webhook;
}

/** What the object of a webhook needs to send. */
export function targetOf({ id, ...webhook }: Omit<Target, "webhookId"> & { readonly id: string }): Target {
	const { url, host, secretSealed, previousSecretSealed, previousSecretExpiresAt } = webhook;
	return { webhookId: id, url, host, secretSealed, previousSecretSealed, previousSecretExpiresAt };
}
