import type { EventName, TEST_EVENT } from "../../domain/events.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from "../../platform/clock.ts";

/** Waits before the second and every further attempt. Contract: "Webhooks", delivery rules. */
export const RETRY_DELAYS_MS = [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1;
const MAX_JITTER = 0.1;

export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
export const MAX_RESPONSE_BYTES = 4096;
/** A consumer that died is replaced after this; longer than any attempt takes. */
export const LEASE_MS = 30 * SECOND_MS;
/** A receiver that is failing gets no more than this many attempts at a time, so that it cannot occupy the queue. */
export const MAX_FAILING_IN_FLIGHT = 2;
export const THROTTLED_DELAY_MS = 15 * SECOND_MS;
/** Longer waits have no message of their own: the sweep of each minute is precise enough. */
export const MAX_MESSAGE_DELAY_MS = 10 * MINUTE_MS;
/** A delivery that has been due for this long has lost its message. */
export const LOST_MESSAGE_MS = 30 * SECOND_MS;
const FAILING_LIMIT_MS = 5 * DAY_MS;
export const SECRET_OVERLAP_MS = DAY_MS;
export const LOG_RETENTION_MS = 30 * DAY_MS;
export const MAX_ACTIVE_WEBHOOKS = 50;

/** What came of an attempt, as far as it decides what happens next. */
export interface AttemptOutcome {
	/** Null when no answer came. */
	readonly status: number | null;
	/** The answer's `Retry-After`, in milliseconds from now. */
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
	const delayMs = RETRY_DELAYS_MS[number - 1];
	if (delayMs === undefined) return { kind: "failed" };
	const jittered = delayMs * (1 + MAX_JITTER * random);
	return { kind: "retry", dueAt: now + Math.round(Math.min(2 * delayMs, Math.max(jittered, retryAfterMs ?? 0))) };
}

/** Whether an endpoint that has just failed again has done so for too long. */
export function hasFailedTooLong(failingSince: number | null, now: number): boolean {
	return failingSince !== null && now - failingSince >= FAILING_LIMIT_MS;
}

/** `Retry-After` as milliseconds from now: whole seconds or an HTTP date; null when it is neither. */
export function parseRetryAfter(header: string | null, now: number): number | null {
	if (header === null) return null;
	if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND_MS;
	const date = Date.parse(header);
	return Number.isNaN(date) ? null : Math.max(0, date - now);
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
