const MINUTE_MS = 60_000;

/** A consumer renews its lease while it works; when it dies, another takes over after at most this time. */
export const LEASE_MS = 90_000;
export const LEASE_RENEWAL_MS = 30_000;

/** Attempts at one evaluation before a retryable fault becomes final. */
export const MAX_ATTEMPTS = 5;

/** A job that has been due for this long without a lease has lost its message, and the sweep sends another. */
export const LOST_MESSAGE_MS = 30_000;

/** Milliseconds before attempt number `attempts + 1`: 5 s, 15 s, 45 s, 135 s, or longer when the other side asked for it. */
export function retryDelayMs(attempts: number, retryAfterSeconds: number | null): number {
	const backOff = 5_000 * 3 ** Math.max(0, attempts - 1);
	return Math.min(10 * MINUTE_MS, Math.max(backOff, (retryAfterSeconds ?? 0) * 1000));
}

/** Milliseconds until the next look at a run, after so many: from one second, growing by half, to half a minute. */
export function graderLookDelayMs(looks: number): number {
	return Math.min(MINUTE_MS / 2, Math.round(1000 * 1.5 ** looks));
}

/** A rubric of more criteria gets more time for each of them: its calls to models wait for each other. */
export const LONG_RUBRIC = { fromCriteria: 15, perCriterionMs: MINUTE_MS } as const;

/** Grace for queues and sweeps on top of a mode's time limit: nothing stays `running` for longer than both together. */
export const GIVE_UP_MARGIN_MS = 4 * MINUTE_MS;

const SECONDS = 1000;
/** Delays before the second to the eighth request to an outside judge: the schedule of webhooks. */
const EXTERNAL_RETRY_DELAYS_MS = [
	30 * SECONDS,
	MINUTE_MS,
	5 * MINUTE_MS,
	30 * MINUTE_MS,
	120 * MINUTE_MS,
	360 * MINUTE_MS,
	1440 * MINUTE_MS,
];
const JITTER = 0.1;

/**
 * Milliseconds until the next request after so many that failed, or null when there is none left.
 *
 * @param random 0..1, spreads the delay by up to 10 %.
 */
export function externalRetryDelayMs(failures: number, random: number): number | null {
	const delay = EXTERNAL_RETRY_DELAYS_MS[failures - 1];
	return delay === undefined ? null : Math.round(delay * (1 + JITTER * random));
}

interface PostedScore {
	readonly dimensions: readonly { readonly criterion_name: string }[];
}

/** Names among posted dimensions that the rubric does not have, or that occur twice. */
export function findUnknownDimensions({ dimensions }: PostedScore, criteria: readonly { readonly name: string }[]): string[] {
	const names = dimensions.map((dimension) => dimension.criterion_name);
	return names.filter((name, index) => names.indexOf(name) !== index || !criteria.some((criterion) => criterion.name === name));
}
