import { BountyApiError, BountyConnectionError, BountyTimeoutError } from "./errors.ts";

const BASE_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;
/** A rate limit's window is a minute. The caller decides about longer waits, such as for a monthly quota. */
const MAX_RETRY_AFTER_SECONDS = 60;
/** Spreads clients that got the same `Retry-After`. */
const RETRY_AFTER_SPREAD_MS = 500;

/** After one of these statuses, the platform may have carried out the request. */
const UNCERTAIN = new Set([408, 500, 502, 503, 504]);

/** Returns a random time (full jitter) in milliseconds, below a limit that doubles with each attempt. */
export function backoffMs(attempt: number): number {
	return Math.random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt);
}

/**
 * Returns the pause in milliseconds before the same request is sent again, or null if it must not be sent again. 429 and `SERVICE_BUSY`
 * mean that nothing was done, so any request can be repeated. After other failures, only a repeatable one can.
 */
export function retryDelayMs(error: unknown, { attempt, isRepeatable }: { attempt: number; isRepeatable: boolean }): number | null {
	if (error instanceof BountyConnectionError || error instanceof BountyTimeoutError) return isRepeatable ? backoffMs(attempt) : null;
	if (!(error instanceof BountyApiError)) return null;
	const wasNotExecuted = error.status === 429 || error.code === "SERVICE_BUSY";
	if (!wasNotExecuted && !(isRepeatable && UNCERTAIN.has(error.status))) return null;
	const { retryAfterSeconds } = error;
	if (retryAfterSeconds === undefined) return backoffMs(attempt);
	if (retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) return null;
	return retryAfterSeconds * 1000 + Math.random() * RETRY_AFTER_SPREAD_MS;
}

/**
 * Returns true if a later attempt can succeed, for loops that continue by themselves: after a broken connection, 429, or a fault of the
 * server.
 */
export function isTransient(error: unknown): boolean {
	if (error instanceof BountyConnectionError || error instanceof BountyTimeoutError) return true;
	return error instanceof BountyApiError && (error.status === 429 || UNCERTAIN.has(error.status));
}
