// How queries are cached and repeated.
import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./error.ts";

const STALE_MS = 15_000;
const MAX_RETRIES = 2;
/** A longer wait is shown as an error instead, with the API's own advice. */
const MAX_WAIT_SECONDS = 70;

/** Repeats what may succeed later: no response, 5xx, and 429. */
export function shouldRetry(failures: number, error: Error): boolean {
	if (failures >= MAX_RETRIES || !(error instanceof ApiError)) return false;
	const { status, retryAfterSeconds } = error.facts;
	if (retryAfterSeconds !== null && retryAfterSeconds > MAX_WAIT_SECONDS) return false;
	return status === 0 || status === 429 || status >= 500;
}

/** Milliseconds to wait before a repetition: what the platform asks for, or else one second, doubled each time. */
export function retryDelayMs(failures: number, error: Error): number {
	const seconds = error instanceof ApiError ? error.facts.retryAfterSeconds : null;
	return (seconds ?? 2 ** failures) * 1000;
}

export const queryClient = new QueryClient({
	defaultOptions: {
		queries: { staleTime: STALE_MS, retry: shouldRetry, retryDelay: retryDelayMs, refetchOnWindowFocus: false },
		mutations: { retry: false },
	},
});
