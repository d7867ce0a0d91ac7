import * as z from "zod";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { forgetRows } from "../../db/expired-rows.ts";
import { SEALED_COLUMNS } from "../../db/sealed-columns.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { TEST_EVENT } from "../../domain/events.ts";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import { randomBytes } from "../../platform/crypto.ts";
import { idFloorAt } from "../../platform/ids.ts";
import { describeError } from "../../platform/log.ts";
import { findTargetFault, readTargetHost, targetRulesOf } from "../../platform/outbound.ts";
import { seal } from "../../platform/sealed.ts";
import type { Statement } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import type { DeliveryMessage } from "../../ports/queues.ts";
import type { webhookRequest } from "./contract.ts";
import { announceDeliveries, deliver } from "./delivery.ts";
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
		active: true,
		inactiveReason: null,
		createdAt: ctx.clock.now(),
	};
	const test = (await followsOthers(ctx, row)) ? buildTest(ctx, row.id) : null;
	await insertWithinLimits(ctx, row, test?.statements ?? []);
	const outcome = test === null ? null : await awaitTest(ctx, test.message);
	const state = { ...row, ...(outcome === "gone" ? ({ active: false, inactiveReason: "gone" } as const) : {}) };
	const verifiedAt = outcome === "delivered" ? row.createdAt : null;
	const message = rules.describeCreation({ isTested: test !== null, outcome, testUrl: `${ctx.baseUrl}/api/v1/webhooks/${row.id}/test` });
	return { ...viewWebhook({ ...state, verifiedAt }), secret, message };
}

/** Whether a webhook asks for events of tasks that are not its agent's own. */
async function followsOthers(ctx: Ctx, { agentId, taskIds, categories }: NewWebhook): Promise<boolean> {
	return taskIds === null || categories !== null || !(await store.ownsTasks(ctx, { agentId, taskIds }));
}

type NewWebhook = Pick<store.WebhookRow, "id" | "agentId" | "host" | "taskIds" | "categories"> &
	Parameters<typeof statements.insertWebhook>[1];

/** The guards decide. Only after they have refused, a read finds out why. */
async function insertWithinLimits(ctx: Ctx, row: NewWebhook, more: readonly Statement[]): Promise<void> {
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
			...more,
		]);
	});
}

/**
 * Attempts the first test, 10 s at most. It never fails: the webhook exists, and its secret is in this response only.
 *
 * @returns Null when the test is still to come, because the host is busy or the attempt was interrupted.
 */
async function awaitTest(ctx: Ctx, { deliveryId }: DeliveryMessage) {
	const attempt = deliver(ctx, deliveryId).catch((error: unknown) => {
		ctx.log.error("delivery_failed", { delivery_id: deliveryId, ...describeError(error) });
		return null;
	});
	// Lets the attempt end when the caller has gone.
	ctx.background(attempt);
	return attempt;
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
	if (webhook.active) await commit(ctx.db, statements.deactivateWebhook(ctx, webhookId, "deleted"));
	return { id: webhookId, active: false as const };
}

/** Queues a test event for this webhook only. */
export function testWebhook(ctx: Ctx, webhookId: string) {
	return decideAndCommit(ctx.db, async () => {
		assertActive(assertOwn(ctx, await store.findWebhook(ctx, webhookId)));
		const test = buildTest(ctx, webhookId);
		await commit(ctx.db, [statements.guardActive(ctx, webhookId), ...test.statements]);
		ctx.background(announceDeliveries(ctx, [test.message]));
		const message = `A test event is on its way. Its outcome shows in ${logUrl(ctx, webhookId)}.`;
		return { delivery_id: test.message.deliveryId, message };
	});
}

function buildTest(ctx: Ctx, webhookId: string) {
	const now = ctx.clock.now();
	const eventId = ctx.ids.next();
	const payload: z.output<typeof TEST_EVENT.payload> = { webhook_id: webhookId };
	const body = rules.writeBody({ event: TEST_EVENT.name, id: eventId, createdAt: now, payload });
	const delivery = { id: ctx.ids.next(), webhookId, eventId, dueAt: now, createdAt: now };
	return {
		message: { deliveryId: delivery.id, webhookId },
		statements: [statements.insertPayload(ctx, { eventId, eventType: TEST_EVENT.name, body }), statements.insertDelivery(ctx, delivery)],
	};
}

/** Sends a finished delivery's event once more, as a delivery of its own. */
export function replayDelivery(ctx: Ctx, { id: webhookId, deliveryId }: { id: string; deliveryId: string }) {
	return decideAndCommit(ctx.db, async () => {
		const found = await store.findDelivery(ctx, { webhookId, deliveryId });
		assertActive(assertOwn(ctx, found.webhook));
		if (found.delivery === null) throw new AppError("NOT_FOUND", { message: "This webhook has no such delivery." });
		if (found.delivery.status === "pending") {
			throw new AppError("CONFLICT", { message: "This delivery is still being attempted. Replay it when it has ended." });
		}
		const id = await sendAgain(ctx, { webhookId, deliveryId, eventId: found.delivery.eventId, also: [] });
		return { delivery_id: id, message: `The event is being sent again. See the result in ${logUrl(ctx, webhookId)}.` };
	});
}

interface RepeatedDelivery {
	readonly webhookId: string;
	readonly deliveryId: string;
	/** Statements for the same commit. */
	readonly also: readonly Statement[];
}

/**
 * {@link replayDelivery} for an operator of the deployment. Returns the id of the new delivery.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` for a webhook that is not active.
 */
export function repeatDelivery(deps: Deps, { webhookId, deliveryId, also }: RepeatedDelivery): Promise<string> {
	return decideAndCommit(deps.db, async () => {
		const { webhook, delivery } = await store.findDelivery(deps, { webhookId, deliveryId });
		if (webhook === null || delivery === null) throw new AppError("NOT_FOUND", { message: "There is no such delivery." });
		assertActive(webhook);
		return sendAgain(deps, { webhookId, deliveryId, eventId: delivery.eventId, also });
	});
}

/** Makes and announces a delivery of the same event. Returns its id. */
async function sendAgain(deps: Deps, { webhookId, deliveryId, eventId, also }: RepeatedDelivery & { readonly eventId: string }) {
	const now = deps.clock.now();
	const repeated = { id: deps.ids.next(), webhookId, eventId, replayOf: deliveryId, dueAt: now, createdAt: now };
	await commit(deps.db, [statements.guardActive(deps, webhookId), statements.insertDelivery(deps, repeated), ...also]);
	deps.background(announceDeliveries(deps, [{ deliveryId: repeated.id, webhookId }]));
	return repeated.id;
}

function logUrl(ctx: Ctx, webhookId: string): string {
	return `${ctx.baseUrl}/api/v1/webhooks/${webhookId}/deliveries`;
}

/** Replaces the secret. Deliveries are also signed with the replaced one for 24 hours; an even older one stops at once. */
export function rotateSecret(ctx: Ctx, webhookId: string) {
	return decideAndCommit(ctx.db, async () => {
		const webhook = assertOwn(ctx, await store.findWebhook(ctx, webhookId));
		assertActive(webhook);
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
		return { id: webhookId, secret, previous_secret_expires_at: toIso(expiresAt) };
	});
}

/** The log of one webhook, newest first. */
export async function listDeliveries(ctx: Ctx, webhookId: string, { limit, cursor }: ListWebhookInput) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const found = await store.findLog(ctx, { webhookId, before, limit: limit + 1 });
	assertOwn(ctx, found?.webhook ?? null);
	const page = pageRows(found?.rows ?? [], limit, (last) => encodeCursor([last.id]));
	return { data: page.rows.map(viewDelivery), pagination: page.pagination };
}

/** The webhook of another agent is 404, like an unknown one. */
function assertOwn(ctx: Ctx, webhook: store.WebhookRow | null): store.WebhookRow {
	if (webhook === null || webhook.agentId !== ctx.actor.agentId) {
		throw new AppError("NOT_FOUND", { message: "You have no such webhook. GET /api/v1/webhooks lists yours." });
	}
	return webhook;
}

function assertActive(webhook: store.WebhookRow): void {
	if (!webhook.active)
		throw new AppError("CONFLICT", { message: "This webhook is inactive. Create a new one with POST /api/v1/webhooks." });
}

/** The log is kept for 30 days. */
export async function forgetOldDeliveries(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	const deliveriesBefore = idFloorAt(now - rules.LOG_RETENTION_MS);
	const payloadsBefore = idFloorAt(now - 2 * rules.LOG_RETENTION_MS);
	await forgetRows(deps.db, (limit) => store.forgetOld(deps, { deliveriesBefore, payloadsBefore, limit }));
}
