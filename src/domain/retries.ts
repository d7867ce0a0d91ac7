// The delays after which requests to webhooks and external judges are repeated.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";

/** The delays before the second to the eighth attempt. */
export const RETRY_DELAYS_MS = [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1;
const MAX_JITTER = 0.1;

/** Returns the milliseconds until the next attempt, or null after the last attempt. */
export function redeliveryDelayMs({
	number,
	random,
	retryAfterMs,
}: {
	/** The number of the attempt that failed. The first attempt is 1. */
	readonly number: number;
	/** A random number from 0 to 1, with which up to 10 % are added to the delay. */
	readonly random: number;
	/** The delay that the receiver asked for, in milliseconds. The result is at least this long, up to twice the usual delay. */
	readonly retryAfterMs?: number | null;
}): number | null {
	const delayMs = RETRY_DELAYS_MS[number - 1];
	if (delayMs === undefined) return null;
	const jittered = delayMs * (1 + MAX_JITTER * random);
	return Math.round(Math.min(2 * delayMs, Math.max(jittered, retryAfterMs ?? 0)));
}

/** Parses `Retry-After`, a number of seconds or an HTTP date. Returns milliseconds from now, or null if the header is neither. */
export function parseRetryAfter(header: string | null | undefined, now: number): number | null {
	const text = header?.trim() ?? "";
	if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * SECOND_MS;
	// HTTP dates end with GMT. Without this condition, some engines would parse "-5" as a date long ago.
	const date = text.endsWith("GMT") ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** A delivery is `pending` until it succeeds or fails for good, or until it is `cancelled`. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
