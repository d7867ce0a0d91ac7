// Makes one attempt at a delivery, and decides what happens to the delivery and the webhook.

import { commit } from "../../../db/commit.ts";
import { ENCRYPTED_COLUMNS } from "../../../db/encrypted-columns.ts";
import { MAX_DELIVERY_ATTEMPTS, parseRetryAfter } from "../../../domain/retries.ts";
import { TEST_EVENT } from "../../../domain/test-event.ts";
import { decrypt } from "../../../platform/encryption.ts";
import { type OutboundResult, sendOutbound } from "../../../platform/outbound.ts";
import { signMessage } from "../../../platform/webhook-signature.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { LoggedAttempt, NewDelivery, WebhookTarget } from "../../../ports/webhook-sender.ts";
import { writeMessage } from "./message.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";

export interface AttemptOutcome {
	readonly log: LoggedAttempt;
	readonly step: rules.NextStep;
	/** True if the delivery is a test. A failed test does not make the receiver count as failing, because it may not be running yet. */
	readonly isTest: boolean;
	/** True if the response to a test contains its challenge. */
	readonly isVerified: boolean;
	/** Why the attempt stops the webhook. Null if the webhook stays active. */
	readonly stop: "gone" | "failing" | null;
}

/**
 * Sends a delivery, and decides what to do next.
 *
 * @param number The number of the attempt, from 1. Interrupted attempts count too.
 * @param isUnasked True if the host has not agreed to deliveries.
 * @param failingSince Time of the first failure since the last success. Null if there is none.
 */
export async function makeAttempt(
	deps: Deps,
	{
		delivery,
		number,
		target,
		failingSince,
		isUnasked,
	}: { delivery: NewDelivery; number: number; target: WebhookTarget; failingSince: number | null; isUnasked: boolean },
): Promise<AttemptOutcome> {
	const startedAt = deps.clock.now();
	const response = number > MAX_DELIVERY_ATTEMPTS ? INTERRUPTED : await sendDelivery(deps, delivery, target);
	const now = deps.clock.now();
	const status = response.kind === "responded" ? response.status : null;
	const retryAfterMs = response.kind === "responded" ? parseRetryAfter(response.headers.get("Retry-After"), now) : null;
	const isTest = isTestDelivery(delivery);
	// A test has only one attempt, so that each test request causes one request to the receiver's host.
	const maxAttempts = isTest ? 1 : isUnasked ? rules.MAX_UNASKED_ATTEMPTS : MAX_DELIVERY_ATTEMPTS;
	const step = rules.decideNextStep({ status, retryAfterMs, number, now, random: deps.random(), maxAttempts });
	deps.metrics.write("delivery", { result: step.kind, ms: response.durationMs, attempt: number, status: status ?? 0 });
	const isHopeless = !isTest && step.kind !== "delivered" && rules.hasFailedTooLong(failingSince, now);
	const stop = step.kind === "gone" ? "gone" : isHopeless ? "failing" : null;
	const isVerified =
		isTest && step.kind === "delivered" && response.kind === "responded" && answersChallenge(delivery, target, response.body);
	return { log: logAttempt(number, startedAt, response), step, isTest, isVerified, stop };
}

export function isTestDelivery({ eventType }: Pick<NewDelivery, "eventType">): boolean {
	return eventType === TEST_EVENT.name;
}

/** The result of a delivery whose last allowed attempt was interrupted. */
const INTERRUPTED: OutboundResult = { kind: "failed", reason: "unreachable", message: "Every attempt was interrupted.", durationMs: 0 };

/** Returns true if the response repeats the test's challenge. Slack and Discord cannot do that. */
function answersChallenge(delivery: NewDelivery, { format }: WebhookTarget, response: string): boolean {
	const { challenge } = rules.readBody(delivery.body);
	return format === "standard" && typeof challenge === "string" && response.includes(challenge);
}

async function sendDelivery(deps: Deps, delivery: NewDelivery, target: WebhookTarget): Promise<OutboundResult> {
	const isMessage = target.format !== "standard";
	const body = isMessage ? await writeMessage(deps, delivery, target) : delivery.body;
	return sendOutbound(deps, {
		url: target.url,
		headers: {
			"Content-Type": "application/json",
			"User-Agent": "bounty-platform-webhooks/1",
			...(isMessage ? {} : await signedHeaders(deps, delivery, target)),
		},
		body,
		timeoutMs: rules.ATTEMPT_TIMEOUT_MS,
		maxResponseBytes: rules.MAX_RESPONSE_BYTES,
	});
}

async function signedHeaders(deps: Deps, delivery: NewDelivery, target: WebhookTarget): Promise<Record<string, string>> {
	const now = deps.clock.now();
	const isOverlapping = target.previousSecretExpiresAt !== null && target.previousSecretExpiresAt > now;
	const { keys } = deps.config;
	const [secret, previousSecret] = await Promise.all([
		decrypt(keys, ENCRYPTED_COLUMNS.webhookSecret.purpose, target.secretEncrypted),
		isOverlapping && target.previousSecretEncrypted !== null
			? decrypt(keys, ENCRYPTED_COLUMNS.webhookSecret.purpose, target.previousSecretEncrypted)
			: null,
	]);
	return {
		"X-Svc-Event": delivery.eventType,
		"X-Svc-Delivery": delivery.id,
		...(await signMessage({ id: delivery.eventId, now, body: delivery.body, secret, previousSecret })),
	};
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

/** Updates the webhook in D1 if an attempt has stopped or verified it. Idempotent. */
export async function updateRecord(
	deps: Deps,
	{ isVerified, stop, target }: AttemptOutcome & { readonly target: WebhookTarget },
): Promise<void> {
	if (stop !== null) await commit(deps.db, [statements.deactivateWebhook(deps, target, stop)]);
	if (isVerified) await commit(deps.db, [statements.verifyWebhook(deps, target)]);
}
