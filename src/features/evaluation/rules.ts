const MINUTE_MS = 60_000;

/** A consumer renews its lease while it works; when it dies, another takes over after at most this time. */
export const LEASE_MS = 90_000;
export const LEASE_RENEWAL_MS = 30_000;

/** Attempts at one evaluation before a retryable fault becomes final. */
export const MAX_ATTEMPTS = 5;

/** A job that has been due for this long without a lease has lost its message, and the sweep sends another. */
export const LOST_MESSAGE_MS = 30_000;

/** Rounds a score to the two decimals it has on the wire. Contract: ruling "Evaluation". */
export function roundScore(score: number): number {
	return Math.round((score + Number.EPSILON) * 100) / 100;
}

/** The middle value; of an even number of values the mean of the middle two. Null for none. */
export function median(values: readonly number[]): number | null {
	const sorted = values.toSorted((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)];
	const lower = sorted[Math.ceil(sorted.length / 2) - 1];
	return upper === undefined || lower === undefined ? null : roundScore((upper + lower) / 2);
}

/** Median of those that are not null; null when all are. */
export function medianOfKnown(values: readonly (number | null)[]): number | null {
	return median(values.filter((value) => value !== null));
}

/** Scores of criteria by their weights, which sum to 100 within the tolerance of a rubric. Scores are 0..100. */
export function weightedScore(scores: readonly { readonly score: number; readonly weight: number }[]): number {
	const weights = scores.reduce((sum, { weight }) => sum + weight, 0);
	const total = scores.reduce((sum, { score, weight }) => sum + score * weight, 0);
	return clampScore(roundScore(total / weights));
}

/** `(test_weight * test_score + llm_weight * llm_score) / 100`, a missing part counting as zero only when its weight is. */
export function finalScore(parts: { testScore: number | null; llmScore: number | null; testWeight: number; llmWeight: number }): number {
	const { testScore, llmScore, testWeight, llmWeight } = parts;
	return clampScore(roundScore((testWeight * (testScore ?? 0) + llmWeight * (llmScore ?? 0)) / 100));
}

function clampScore(score: number): number {
	return Math.min(100, Math.max(0, score));
}

/** Milliseconds before attempt number `attempts + 1`: 5 s, 15 s, 45 s, 135 s, or longer when the other side asked for it. */
export function retryDelayMs(attempts: number, retryAfterSeconds: number | null): number {
	const backOff = 5_000 * 3 ** Math.max(0, attempts - 1);
	return Math.min(10 * MINUTE_MS, Math.max(backOff, (retryAfterSeconds ?? 0) * 1000));
}

/** Milliseconds until the next look at a run, after so many: from one second, growing by half, to half a minute. */
export function graderLookDelayMs(looks: number): number {
	return Math.min(MINUTE_MS / 2, Math.round(1000 * 1.5 ** looks));
}

interface TimedTask {
	readonly evalMode: "llm" | "container" | "hybrid" | "external";
	readonly evalTimeoutSeconds: number;
}

const JUDGE_LIMIT_MS = 15 * MINUTE_MS;
/** Preparing a run, twice: waiting for its turn, pulling the image, unpacking. */
const GRADER_MARGIN_MS = 15 * MINUTE_MS;
/** A rubric of more criteria gets more time for each of them: its calls to models wait for each other. */
export const LONG_RUBRIC = { fromCriteria: 15, perCriterionMs: MINUTE_MS } as const;
const EXTERNAL_LIMIT_MS = 24 * 60 * MINUTE_MS;

/**
 * How long an evaluation of this task may take in all, in milliseconds, where its rubric is no {@link LONG_RUBRIC}.
 * Nothing stays `running` for longer than this plus the margin.
 */
export function timeLimitMs({ evalMode, evalTimeoutSeconds }: TimedTask): number {
	if (evalMode === "external") return EXTERNAL_LIMIT_MS;
	// A run that failed is repeated once, so an image gets its time twice.
	const imageMs = evalMode === "llm" ? 0 : 2 * evalTimeoutSeconds * 1000 + GRADER_MARGIN_MS;
	return imageMs + (evalMode === "container" ? 0 : JUDGE_LIMIT_MS);
}

/** Grace for queues and sweeps on top of {@link timeLimitMs}. */
export const GIVE_UP_MARGIN_MS = 4 * MINUTE_MS;

/** What calls to models cost. */
export interface Usage {
	readonly calls: number;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** Millionths of a US dollar, of the calls whose price is known; null when none is. */
	readonly costMicroUsd: number | null;
}

export function sumUsage(parts: readonly Usage[]): Usage {
	const costs = parts.map(({ costMicroUsd }) => costMicroUsd).filter((cost) => cost !== null);
	const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
	return {
		calls: sum(parts.map(({ calls }) => calls)),
		inputTokens: sum(parts.map(({ inputTokens }) => inputTokens)),
		outputTokens: sum(parts.map(({ outputTokens }) => outputTokens)),
		costMicroUsd: costs.length === 0 ? null : sum(costs),
	};
}

/** Usage as it is on the wire, the cost in US dollars. */
export function viewUsage({ calls, inputTokens, outputTokens, costMicroUsd }: Usage) {
	return {
		calls,
		input_tokens: inputTokens,
		output_tokens: outputTokens,
		cost_usd: costMicroUsd === null ? null : costMicroUsd / 1_000_000,
	};
}

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
