import * as z from "zod";
import { API_KEY_TIERS } from "../../../domain/actor.ts";
import type { EventName } from "../../../domain/events.ts";
import { MAX_DELIVERY_ATTEMPTS, redeliveryDelayMs } from "../../../domain/retries.ts";
import type { TEST_EVENT } from "../../../domain/test-event.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from "../../../platform/clock.ts";
import type { AttemptEnd } from "../../../ports/webhook-sender.ts";
import { mayTier } from "../../identity/agents/rules.ts";

const storedBody = z.record(z.string(), z.unknown());

/** The maximum number of webhooks that are searched for the operators' list of waiting and failed deliveries. */
export const MAX_TROUBLED = 500;

export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
export const MAX_RESPONSE_BYTES = 4096;
/** The maximum number of parallel attempts at a failing receiver. It is low, so that most of the receiver's deliveries wait. */
export const MAX_FAILING_IN_FLIGHT = 2;
/** The maximum number of parallel attempts at one host, across all webhooks that point to it. */
export const MAX_HOST_IN_FLIGHT = 20;
/** The maximum number of deliveries per UTC day to a host that has not repeated a challenge, across all webhooks that point to it. */
export const UNASKED_PER_DAY = 100;
/** The maximum number of attempts at each delivery to a host that has not repeated a challenge. */
export const MAX_UNASKED_ATTEMPTS = 2;
export const MIN_THROTTLED_DELAY_MS = 5 * SECOND_MS;
export const MAX_THROTTLED_DELAY_MS = 15 * SECOND_MS;
/** An attempt that has not ended after this time counts as interrupted, and its delivery becomes due again. */
export const CUT_OFF_AFTER_MS = 30 * SECOND_MS;
/**
 * The first attempt at a delivery uses the copy of the webhook that came with the event, if the copy is younger than this. Other attempts
 * read D1.
 */
export const TARGET_FRESH_MS = 10 * SECOND_MS;
/** The minimum time between two deletions of old deliveries, because each alarm of an object costs the write of a row. */
export const FORGET_EVERY_MS = HOUR_MS;
/** An alarm that failed, for example because D1 did not respond, runs again after this time. */
export const ALARM_AGAIN_MS = MINUTE_MS;
const FAILING_LIMIT_MS = 5 * DAY_MS;
export const LOG_RETENTION_MS = 30 * DAY_MS;
export const MAX_ACTIVE_WEBHOOKS = 50;
/** All agents of {@link CAPPED_TIERS} share this limit for a host. */
export const MAX_ACTIVE_PER_HOST = 200;
/** Anyone can get any number of agents of these tiers, so a limit per agent would not protect a host. */
export const CAPPED_TIERS = API_KEY_TIERS.filter((tier) => !mayTier(tier, "exceedHostLimit"));

export type NextStep =
	| { readonly kind: "delivered" }
	| { readonly kind: "retry"; readonly dueAt: number }
	| { readonly kind: "failed" }
	/** The receiver responded with 410: it does not want any more deliveries. */
	| { readonly kind: "gone" };

/** Decides what follows an attempt: success, another attempt and its time, or the end. Times are milliseconds since the epoch. */
export function decideNextStep({
	status,
	retryAfterMs,
	number,
	now,
	random,
	maxAttempts = MAX_DELIVERY_ATTEMPTS,
}: {
	/** The status of the response. Null if no response arrived. */
	readonly status: number | null;
	/** The delay that the response demands in `Retry-After`, in milliseconds from now. Null if it demands none. */
	readonly retryAfterMs: number | null;
	/** The number of the attempt, from 1. */
	readonly number: number;
	readonly now: number;
	/** From 0 to 1. */
	readonly random: number;
	readonly maxAttempts?: number;
}): NextStep {
	if (status !== null && status >= 200 && status < 300) return { kind: "delivered" };
	if (status === 410) return { kind: "gone" };
	if (number >= maxAttempts) return { kind: "failed" };
	const delayMs = redeliveryDelayMs({ number, random, retryAfterMs });
	return delayMs === null ? { kind: "failed" } : { kind: "retry", dueAt: now + delayMs };
}

/**
 * URLs of services that receive webhooks but cannot repeat a challenge. Such a URL exists only because its owner wants messages there, and
 * the service limits each URL itself. A limit for the service's host would let a few strangers block everyone else's webhooks.
 */
const SERVICE_URLS = [
	/^https:\/\/hooks\.slack\.com\/(services|workflows|triggers)\//,
	/^https:\/\/(discord|discordapp)\.com\/api\/(v\d+\/)?webhooks\//,
];

/** Returns true for a URL of a service whose purpose is to receive deliveries. */
export function isOfService(url: string): boolean {
	return SERVICE_URLS.some((service) => service.test(url));
}

/**
 * Returns the delay of a throttled delivery: 5 to 15 s at random, so that throttled deliveries are not all attempted again at the same
 * time.
 */
export function throttledDelayMs(random: number): number {
	return Math.round(MAX_THROTTLED_DELAY_MS - random * (MAX_THROTTLED_DELAY_MS - MIN_THROTTLED_DELAY_MS));
}

/**
 * Returns when a receiver began to fail. Returns null if that was less than an hour ago, because a failure that short is not worth a write to
 * the directory.
 */
export function lastingFailure(failingSince: number | null, now: number): number | null {
	return failingSince !== null && now - failingSince >= HOUR_MS ? failingSince : null;
}

/** Returns true if a receiver that has just failed again has been failing for at least five days. */
export function hasFailedTooLong(failingSince: number | null, now: number): boolean {
	return failingSince !== null && now - failingSince >= FAILING_LIMIT_MS;
}

/**
 * Returns the message that shows the creator of a webhook what to do next.
 *
 * @param isTested False if the webhook only follows the agent's own tasks, or its service cannot repeat a challenge.
 * @param outcome The result of the test. Null if the test has not finished.
 */
export function describeCreation({
	isTested,
	outcome,
	testUrl,
}: {
	readonly isTested: boolean;
	readonly outcome: AttemptEnd | null;
	readonly testUrl: string;
}): string {
	if (!isTested) return "No test is needed. From now on, the webhook gets the chosen events of your own tasks, submissions and deals.";
	const advise = (reason: string, advice: string) =>
		`${reason} Until a test succeeds, the webhook gets only the events of your own tasks, submissions and deals. ${advice} POST ${testUrl}.`;
	switch (outcome) {
		case "verified":
			return "The receiver responded to the test. The webhook gets events from now on.";
		case "gone":
			return 'The receiver responded to the test with 410, so the webhook is inactive. PATCH it with {"active": true} when the receiver is ready.';
		case "delivered":
			return advise(
				"The receiver responded to the test, but its response did not contain the test's challenge.",
				"Change the receiver so that it returns the `challenge` of the test, then",
			);
		case "retry":
		case "failed":
			return advise("The receiver did not respond to the test with a 2xx status.", "Start or repair the receiver, then");
		case null:
			return advise("The receiver's test has not finished yet.", "If `verified` is still false in GET /api/v1/webhooks after a minute,");
	}
}

interface WebhookScope {
	readonly taskIds: readonly string[] | null;
	readonly categories: readonly string[] | null;
}

/** Returns true if a webhook with the new scope can get events that it cannot get with the old one. */
export function isWiderScope(before: WebhookScope, after: WebhookScope): boolean {
	const isAll = ({ taskIds, categories }: WebhookScope) => taskIds === null && categories === null;
	if (isAll(before)) return false;
	if (isAll(after)) return true;
	const isIn = (values: readonly string[] | null, choices: readonly string[] | null) =>
		(values ?? []).every((value) => choices?.includes(value) === true);
	return !isIn(after.taskIds, before.taskIds) || !isIn(after.categories, before.categories);
}

/**
 * Builds the body of a delivery as flat JSON.
 *
 * @param id The event's id.
 * @param createdAt The time of the event, in milliseconds since the epoch.
 */
export function writeBody({
	event,
	id,
	createdAt,
	isTest = false,
	payload,
}: {
	readonly event: EventName | typeof TEST_EVENT.name;
	readonly id: string;
	readonly createdAt: number;
	/** True if the event is about a test task. */
	readonly isTest?: boolean;
	readonly payload: Readonly<Record<string, unknown>>;
}): string {
	return JSON.stringify({ event, id, timestamp: toIso(createdAt), ...payload, ...(isTest ? { test: true } : {}) });
}

/** Parses a body that {@link writeBody} wrote. */
export function readBody(body: string): Record<string, unknown> {
	return storedBody.parse(JSON.parse(body));
}
