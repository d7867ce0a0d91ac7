// One attempt at a delivery: the request to the receiver, and what follows for the webhook.
import { commit } from "../../../db/commit.ts";
import { SEALED_COLUMNS } from "../../../db/sealed-columns.ts";
import { TEST_EVENT } from "../../../domain/events.ts";
import { MAX_DELIVERY_ATTEMPTS, parseRetryAfter } from "../../../domain/retries.ts";
import { type OutboundResult, sendOutbound } from "../../../platform/outbound.ts";
import { unseal } from "../../../platform/sealed.ts";
import { signMessage } from "../../../platform/webhook-signature.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { LoggedAttempt, NewDelivery, Target } from "../../../ports/webhook-sender.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";

export interface Attempt {
	readonly delivery: NewDelivery;
	/** From 1. Attempts that were cut off count. */
	readonly number: number;
	readonly target: Target;
	/** When the webhook's first attempt failed after its last success; null while all is well. */
	readonly failingSince: number | null;
}

export interface FinishedAttempt {
	readonly log: LoggedAttempt;
	readonly step: rules.NextStep;
	/** Whether the delivery tests the webhook. The receiver of a first test may not run yet, so tests do not count as failures. */
	readonly isTest: boolean;
	/** Why the webhook ends with this attempt; null when it does not. */
	readonly stop: "gone" | "failing" | null;
}

/** Sends a delivery, and decides what follows. */
export async function makeAttempt(deps: Deps, { delivery, number, target, failingSince }: Attempt): Promise<FinishedAttempt> {
	const startedAt = deps.clock.now();
	const result = number > MAX_DELIVERY_ATTEMPTS ? INTERRUPTED : await send(deps, delivery, target);
	const now = deps.clock.now();
	const status = result.kind === "responded" ? result.status : null;
	const retryAfterMs = result.kind === "responded" ? parseRetryAfter(result.headers.get("Retry-After"), now) : null;
	const isTest = delivery.eventType === TEST_EVENT.name;
	const step = rules.decideNextStep({ status, retryAfterMs, number, now, random: deps.random(), isTest });
	deps.metrics.write("delivery", { result: step.kind, ms: result.durationMs, attempt: number, status: status ?? 0 });
	const isHopeless = !isTest && step.kind !== "delivered" && rules.hasFailedTooLong(failingSince, now);
	const stop = step.kind === "gone" ? "gone" : isHopeless ? "failing" : null;
	return { log: logAttempt(number, startedAt, result), step, isTest, stop };
}

/** All earlier attempts were cut off, so this one is not made. */
const INTERRUPTED: OutboundResult = { kind: "failed", reason: "unreachable", message: "Every attempt was interrupted.", durationMs: 0 };

async function send(deps: Deps, delivery: NewDelivery, target: Target): Promise<OutboundResult> {
	const now = deps.clock.now();
	const isOverlapping = target.previousSecretExpiresAt !== null && target.previousSecretExpiresAt > now;
	const { keys } = deps.config;
	const [secret, previousSecret] = await Promise.all([
		unseal(keys, SEALED_COLUMNS.webhookSecret.purpose, target.secretSealed),
		isOverlapping && target.previousSecretSealed !== null
			? unseal(keys, SEALED_COLUMNS.webhookSecret.purpose, target.previousSecretSealed)
			: null,
	]);
	return sendOutbound(deps, {
		url: target.url,
		headers: {
			"Content-Type": "application/json",
			"User-Agent": "bounty-platform-webhooks/1",
			"X-Svc-Event": delivery.eventType,
			"X-Svc-Delivery": delivery.id,
			...(await signMessage({ id: delivery.eventId, now, body: delivery.body, secret, previousSecret })),
		},
		body: delivery.body,
		timeoutMs: rules.ATTEMPT_TIMEOUT_MS,
		maxResponseBytes: rules.MAX_RESPONSE_BYTES,
	});
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

/** Writes what an attempt changes in the webhook's record: most change nothing. A repeated call changes nothing more. */
export async function updateRecord(deps: Deps, webhookId: string, { step, isTest, stop }: FinishedAttempt): Promise<void> {
	if (stop !== null) await commit(deps.db, [statements.deactivateWebhook(deps, webhookId, stop)]);
	if (isTest && step.kind === "delivered") await commit(deps.db, [statements.verifyWebhook(deps, webhookId)]);
}
