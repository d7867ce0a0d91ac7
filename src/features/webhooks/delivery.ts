// Sends deliveries that are due, for the queue and the sweep.

import { commit, unlessStale } from "../../db/commit.ts";
import { guardLease, type Lease, WEBHOOK_DELIVERIES } from "../../db/leases.ts";
import type { LoggedAttempt } from "../../db/schema/webhooks.ts";
import { SEALED_COLUMNS } from "../../db/sealed-columns.ts";
import { chunksOf } from "../../domain/chunks.ts";
import { TEST_EVENT } from "../../domain/events.ts";
import { MAX_DELIVERY_ATTEMPTS, parseRetryAfter } from "../../domain/retries.ts";
import { type OutboundResult, sendOutbound } from "../../platform/outbound.ts";
import { unseal } from "../../platform/sealed.ts";
import { signMessage } from "../../platform/webhook-signature.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DeliveryMessage } from "../../ports/queues.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const MESSAGES_PER_BATCH = 100;

/** Sends a message for each delivery that is due. If one is lost, {@link sweepDeliveries} sends another. */
export async function announceDeliveries(deps: Deps, due: readonly DeliveryMessage[]): Promise<void> {
	for (const batch of chunksOf(due, MESSAGES_PER_BATCH)) {
		await deps.queues.webhooks.sendBatch(batch.map((body) => ({ body })));
	}
}

/**
 * Makes one attempt at a delivery if it is due and no other consumer does. Repeated and parallel calls send once. Only if a consumer
 * dies between sending and recording, the receiver gets the same event id again.
 *
 * @returns What follows the attempt. Null when none was made, or when its outcome no longer counts.
 */
export async function deliver(deps: Deps, deliveryId: string): Promise<rules.NextStep["kind"] | null> {
	const now = deps.clock.now();
	const lease = { id: deliveryId, token: deps.ids.next() };
	const claimed = await store.claimDelivery(deps, {
		...lease,
		now,
		maxFailing: rules.MAX_FAILING_IN_FLIGHT,
		maxOfHost: rules.MAX_HOST_IN_FLIGHT,
	});
	if (claimed === null) {
		await postponeThrottled(deps, deliveryId);
		return null;
	}
	const result = claimed.attempts > MAX_DELIVERY_ATTEMPTS ? INTERRUPTED : await send(deps, deliveryId, claimed);
	return record(deps, { lease, claimed, result, startedAt: now });
}

/** The consumers of all earlier attempts died, so this attempt is not made. */
const INTERRUPTED: OutboundResult = { kind: "failed", reason: "unreachable", message: "Every attempt was interrupted.", durationMs: 0 };

/** Postpones a due delivery that could not be claimed because its host or its failing receiver has enough attempts in flight. */
async function postponeThrottled(deps: Deps, deliveryId: string): Promise<void> {
	const now = deps.clock.now();
	const delayMs = rules.throttledDelayMs(deps.random());
	const postponed = await store.postponeWaiting(deps, deliveryId, { now, dueAt: now + delayMs });
	if (postponed !== null) await announceLater(deps, postponed, delayMs);
}

async function announceLater(deps: Deps, message: DeliveryMessage, delayMs: number): Promise<void> {
	if (delayMs > rules.MAX_MESSAGE_DELAY_MS) return;
	await deps.queues.webhooks.send(message, { delaySeconds: Math.ceil(delayMs / 1000) });
}

async function send(deps: Deps, deliveryId: string, claimed: store.ClaimedDelivery): Promise<OutboundResult> {
	const now = deps.clock.now();
	const isOverlapping = claimed.previousSecretExpiresAt !== null && claimed.previousSecretExpiresAt > now;
	const { keys } = deps.config;
	const [secret, previousSecret] = await Promise.all([
		unseal(keys, SEALED_COLUMNS.webhookSecret.purpose, claimed.secretSealed),
		isOverlapping && claimed.previousSecretSealed !== null
			? unseal(keys, SEALED_COLUMNS.webhookSecret.purpose, claimed.previousSecretSealed)
			: null,
	]);
	return sendOutbound(deps, {
		url: claimed.url,
		headers: {
			"Content-Type": "application/json",
			"User-Agent": "bounty-platform-webhooks/1",
			"X-Svc-Event": claimed.eventType,
			"X-Svc-Delivery": deliveryId,
			...(await signMessage({ id: claimed.eventId, now, body: claimed.body, secret, previousSecret })),
		},
		body: claimed.body,
		timeoutMs: rules.ATTEMPT_TIMEOUT_MS,
		maxResponseBytes: rules.MAX_RESPONSE_BYTES,
	});
}

interface FinishedAttempt {
	readonly lease: Lease;
	readonly claimed: store.ClaimedDelivery;
	readonly result: OutboundResult;
	readonly startedAt: number;
}

/** Writes the attempt and what follows from it as one change, unless the lease is lost or the webhook is stopped by now. */
async function record(deps: Deps, { lease, claimed, result, startedAt }: FinishedAttempt): Promise<rules.NextStep["kind"] | null> {
	const now = deps.clock.now();
	const status = result.kind === "responded" ? result.status : null;
	const retryAfterMs = result.kind === "responded" ? parseRetryAfter(result.headers.get("Retry-After"), now) : null;
	const isTest = claimed.eventType === TEST_EVENT.name;
	const step = rules.decideNextStep({ status, retryAfterMs, number: claimed.attempts, now, random: deps.random(), isTest });
	const deliveryId = lease.id;
	const isHopeless = !isTest && step.kind !== "delivered" && rules.hasFailedTooLong(claimed.failingSince, now);
	const attempt = [
		guardLease(deps.db, WEBHOOK_DELIVERIES, lease),
		...consequences(deps, { deliveryId, claimed, step, isHopeless, isTest, now, attempt: logAttempt(claimed.attempts, startedAt, result) }),
	];
	if (!(await unlessStale(() => commit(deps.db, attempt)))) return null;
	deps.metrics.write("delivery", { result: step.kind, ms: result.durationMs, attempt: claimed.attempts, status: status ?? 0 });
	if (step.kind === "retry" && !isHopeless) {
		await announceLater(deps, { deliveryId, webhookId: claimed.webhookId }, step.dueAt - now);
	}
	return step.kind;
}

function logAttempt(number: number, startedAt: number, result: OutboundResult): LoggedAttempt {
	const hasResponse = result.kind === "responded";
	return {
		number,
		startedAt,
		durationMs: result.durationMs,
		responseCode: hasResponse ? result.status : null,
		responseBody: hasResponse ? result.body.replaceAll("\0", "") : null,
		error: hasResponse ? null : result.message,
	};
}

interface Decision {
	readonly deliveryId: string;
	readonly attempt: LoggedAttempt;
	readonly claimed: store.ClaimedDelivery;
	readonly step: rules.NextStep;
	/** The endpoint has failed for so long that it is stopped. */
	readonly isHopeless: boolean;
	readonly isTest: boolean;
	readonly now: number;
}

function consequences(deps: Deps, { deliveryId, attempt, claimed, step, isHopeless, isTest, now }: Decision) {
	const { webhookId, failingSince } = claimed;
	if (step.kind === "delivered") {
		const change = { ...(failingSince === null ? {} : { failingSince: null }), ...(isTest ? { verifiedAt: now } : {}) };
		const changed = Object.keys(change).length === 0 ? [] : [statements.updateWebhook(deps, webhookId, change)];
		return [statements.endAttempt(deps, deliveryId, { attempt, status: "delivered" }), ...changed];
	}
	if (step.kind === "gone") {
		return [
			statements.endAttempt(deps, deliveryId, { attempt, status: "failed" }),
			...statements.deactivateWebhook(deps, webhookId, "gone"),
		];
	}
	const end = step.kind === "retry" ? ({ status: "pending", dueAt: step.dueAt } as const) : ({ status: "failed" } as const);
	return [
		statements.endAttempt(deps, deliveryId, { attempt, ...end }),
		// The first test may come before the receiver runs, so tests do not count toward the five days.
		...(isTest ? [] : [statements.updateFailingSince(deps, webhookId, now)]),
		...(isHopeless ? statements.deactivateWebhook(deps, webhookId, "failing") : []),
	];
}

const SWEEP_BATCH = 500;

/** The safety net: sends a message for each delivery that is due and has none. */
export async function sweepDeliveries(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	await announceDeliveries(deps, await store.markLostDeliveries(deps, { now, limit: SWEEP_BATCH }));
}
