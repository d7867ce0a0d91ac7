// When requests to receivers that posters and agents name are repeated: webhooks, and judges of external mode.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays before the second to the eighth attempt. Contract: "Webhooks", delivery rules. */
export const RETRY_DELAYS_MS = [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1;
const MAX_JITTER = 0.1;

interface FailedAttempt {
	/** 1 for the first. */
	readonly number: number;
	/** From 0 to 1. Adds up to 10 % to the delay. */
	readonly random: number;
	/** What the receiver asked for, in milliseconds. It is honoured up to twice the delay. */
	readonly retryAfterMs?: number | null;
}

/** Milliseconds until the next attempt, or null after the last one. */
export function redeliveryDelayMs({ number, random, retryAfterMs }: FailedAttempt): number | null {
	const delayMs = RETRY_DELAYS_MS[number - 1];
	if (delayMs === undefined) return null;
	const jittered = delayMs * (1 + MAX_JITTER * random);
	return Math.round(Math.min(2 * delayMs, Math.max(jittered, retryAfterMs ?? 0)));
}

/** `Retry-After` as milliseconds from now: a number of seconds or an HTTP date; null when it is neither. */
export function parseRetryAfter(header: string | null | undefined, now: number): number | null {
	const text = header?.trim() ?? "";
	if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * SECOND_MS;
	// Some engines read "-5" as a date of long ago.
	const date = text.endsWith("GMT") ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? null : Math.max(0, date - now);
}
