import { MINUTE_MS } from "../../domain/durations.ts";

/** After this many attempts at one evaluation, a retryable fault becomes final. */
export const MAX_ATTEMPTS = 5;

/**
 * Returns the wait in milliseconds after this number of failed attempts: 5 s, 15 s, 45 s and so on, or the time in `Retry-After` if that is
 * longer, but at most 10 min.
 */
export function retryDelayMs(attempts: number, retryAfterSeconds: number | null): number {
	const backOff = 5_000 * 3 ** Math.max(0, attempts - 1);
	return Math.min(10 * MINUTE_MS, Math.max(backOff, (retryAfterSeconds ?? 0) * 1000));
}

/**
 * A consumer has 15 minutes per queue message. An attempt starts no calls after `lastCallAfterMs`, and aborts running calls after
 * `breakOffAfterMs`.
 */
export const CHECKPOINT = { lastCallAfterMs: 11 * MINUTE_MS, breakOffAfterMs: 12 * MINUTE_MS } as const;

/**
 * Returns the milliseconds until the next poll of a run, after this number of polls. The time grows by half each time, from one second to
 * half a minute.
 */
export function graderPollDelayMs(looks: number): number {
	return Math.min(MINUTE_MS / 2, Math.round(1000 * 1.5 ** looks));
}

/** Each criterion beyond the number `fromCriteria` adds time to an evaluation's limit, because a model may take only one call at a time. */
export const LONG_RUBRIC = { fromCriteria: 15, perCriterionMs: MINUTE_MS } as const;

/** Added to a mode's time limit, because queues and alarms can be late. */
export const GIVE_UP_MARGIN_MS = 4 * MINUTE_MS;

/** Returns the names of dimensions that are not in the rubric, or that occur twice. */
export function findUnknownDimensions(
	{ dimensions }: { readonly dimensions: readonly { readonly criterion_name: string }[] },
	criteria: readonly { readonly name: string }[],
): string[] {
	const names = dimensions.map((dimension) => dimension.criterion_name);
	return names.filter((name, index) => names.indexOf(name) !== index || !criteria.some((criterion) => criterion.name === name));
}
