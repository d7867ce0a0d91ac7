import type { EventName, TEST_EVENT } from "../../domain/events.ts";
import { redeliveryDelayMs } from "../../domain/retries.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS, toIso } from "../../platform/clock.ts";

export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
export const MAX_RESPONSE_BYTES = 4096;
/** A receiver that is failing gets no more than this many attempts at a time, so that it cannot occupy the queue. */
export const MAX_FAILING_IN_FLIGHT = 2;
export const THROTTLED_DELAY_MS = 15 * SECOND_MS;
/** Longer waits have no message of their own: the sweep of each minute is precise enough. */
export const MAX_MESSAGE_DELAY_MS = 10 * MINUTE_MS;
const FAILING_LIMIT_MS = 5 * DAY_MS;
export const SECRET_OVERLAP_MS = DAY_MS;
export const LOG_RETENTION_MS = 30 * DAY_MS;
export const MAX_ACTIVE_WEBHOOKS = 50;

/** What came of an attempt, as far as it decides what happens next. */
export interface AttemptOutcome {
	/** Null when no response arrived. */
	readonly status: number | null;
	/** The response's `Retry-After`, in milliseconds from now. */
	readonly retryAfterMs: number | null;
}

export type NextStep =
	| { readonly kind: "delivered" }
	| { readonly kind: "retry"; readonly dueAt: number }
	| { readonly kind: "failed" }
	/** The receiver wants nothing more, ever. */
	| { readonly kind: "gone" };

interface AttemptFacts extends AttemptOutcome {
	/** 1 for the first. */
	readonly number: number;
	readonly now: number;
	/** From 0 to 1. */
	readonly random: number;
}

/** What follows an attempt: success, the next attempt with its time, or the end. Times are milliseconds since the epoch. */
export function decideNextStep({ status, retryAfterMs, number, now, random }: AttemptFacts): NextStep {
	if (status !== null && status >= 200 && status < 300) return { kind: "delivered" };
	if (status === 410) return { kind: "gone" };
	const delayMs = redeliveryDelayMs({ number, random, retryAfterMs });
	return delayMs === null ? { kind: "failed" } : { kind: "retry", dueAt: now + delayMs };
}

/** Whether an endpoint that has just failed again has done so for too long. */
export function hasFailedTooLong(failingSince: number | null, now: number): boolean {
	return failingSince !== null && now - failingSince >= FAILING_LIMIT_MS;
}

interface Message {
	readonly event: EventName | typeof TEST_EVENT.name;
	/** The event's id. */
	readonly id: string;
	/** When it happened, in milliseconds since the epoch. */
	readonly createdAt: number;
	readonly payload: Readonly<Record<string, unknown>>;
}

/** The body of a message: flat JSON. Contract: "Webhooks". */
export function writeBody({ event, id, createdAt, payload }: Message): string {
	return JSON.stringify({ event, id, timestamp: toIso(createdAt), ...payload });
}
