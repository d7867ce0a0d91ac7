// A criterion is a list of checks. A judge answers each check, and the score is computed from the answers.
import { roundScore } from "./scores.ts";

/** A judge's possible answers to a check. `not_seen`: the proof may be in files that the judge was not shown. */
export const FINDINGS = ["yes", "partly", "no", "not_seen"] as const;

export type Finding = (typeof FINDINGS)[number];

export const CHECKS_BOUNDS = { perCriterion: 8, perRubric: 120, characters: 300 } as const;

/** The number of samples of each criterion. Evaluations that replace earlier ones take more samples. */
export const SAMPLE_COUNTS = { usual: 1, verifiedPoster: 3, replacing: 5 } as const;

const WORTH: Readonly<Record<Finding, number>> = { yes: 1, partly: 0.5, no: 0, not_seen: 0 };

/** What an evaluation stores about each sample of a criterion. */
export interface CheckSample {
	/** The model, or the judge's name if no model was asked. */
	readonly model: string;
	/** The answers after quotes were looked up and confirmed, in the order of the criterion's checks. Empty if a person gave the score. */
	readonly found: readonly Finding[];
	/** The score of the sample, from 0 to 100. */
	readonly score: number;
}

/** The samples of each criterion, keyed by criterion name. */
export type CheckSamples = Readonly<Record<string, readonly CheckSample[]>>;

/** Returns the score of one sample of a criterion, from 0 to 100. */
export function sampleScore(findings: readonly Finding[]): number {
	return roundScore(100 * mean(findings.map((one) => WORTH[one])));
}

/** With at least this many samples, one lowest and one highest answer to a check are dropped. */
const MIN_TRIMMED = 3;

/** Returns the value of a check, from 0 to 1: the mean of its answers, without those that {@link MIN_TRIMMED} drops. */
export function checkValue(samples: readonly Finding[]): number {
	const worths = samples.map((one) => WORTH[one]).toSorted((a, b) => a - b);
	return mean(worths.length < MIN_TRIMMED ? worths : worths.slice(1, -1));
}

/**
 * Returns the score of a criterion, from 0 to 100: the mean of its checks. Samples from a person have no answers, so their scores are
 * averaged.
 */
export function criterionScore(samples: readonly CheckSample[]): number {
	const checks = samples[0]?.found.length ?? 0;
	if (checks === 0) return roundScore(mean(samples.map(({ score }) => score)));
	const values = Array.from({ length: checks }, (_, check) => checkValue(samples.map(({ found }) => found[check] ?? "no")));
	return roundScore(100 * mean(values));
}

/** Returns the index of the first sample whose answer is nearest to the value of the check. */
export function typicalSample(samples: readonly Finding[]): number {
	const value = checkValue(samples);
	const distances = samples.map((one) => Math.abs(WORTH[one] - value));
	return distances.indexOf(Math.min(...distances));
}

/** Returns the lower of two answers. */
export function lowerFinding(a: Finding, b: Finding): Finding {
	return WORTH[b] < WORTH[a] ? b : a;
}

/** The variance of a check's value relative to its variance with one sample, keyed by the number of samples. */
const VARIANCE_OF_SAMPLES: ReadonlyMap<number, number> = new Map([
	[1, 1],
	[3, 0.45],
	[5, 0.23],
	[13, 0.08],
]);

/** The facts about a rubric that determine the noise of a score. */
export interface NoisyRubric {
	/** The standard deviation of one check's value in one sample, from 0 to 1. */
	readonly noise: number;
	/** The weights sum to 100. */
	readonly criteria: readonly { readonly weight: number; readonly checks: number }[];
	/** The number of samples in the round. */
	readonly samples: number;
	/** The percentage of the final score that comes from the criteria: 100 in mode `llm`, `llm_weight` in `hybrid`. */
	readonly share: number;
}

/** Predicts the standard deviation of a final score in points, if the same submission were judged again and again. */
export function predictNoise({ noise, criteria, samples, share }: NoisyRubric): number {
	const factor = VARIANCE_OF_SAMPLES.get(samples) ?? 1 / samples;
	const variance = criteria.reduce((sum, { weight, checks }) => sum + ((weight / 100) ** 2 * factor) / Math.max(1, checks), 0);
	return 100 * noise * Math.sqrt(variance) * (share / 100);
}

/** The samples of an evaluation, with their weights. */
export interface SampledScore {
	readonly samples: CheckSamples;
	/** The weight of each criterion in percent, keyed by criterion name. */
	readonly weights: Readonly<Record<string, number>>;
	/** The percentage of the final score that comes from the criteria. */
	readonly share: number;
}

/**
 * Returns the standard deviation of the final scores that would result from one sample of each criterion. Returns null if a criterion has
 * fewer than three samples.
 */
export function spreadOfSamples({ samples, weights, share }: SampledScore): number | null {
	const criteria = Object.entries(samples);
	const rounds = Math.min(...criteria.map(([, records]) => records.length));
	if (criteria.length === 0 || rounds < MIN_TRIMMED) return null;
	const scores = Array.from({ length: rounds }, (_, round) =>
		criteria.reduce((sum, [name, records]) => sum + ((weights[name] ?? 0) * (records[round]?.score ?? 0) * share) / 10_000, 0),
	);
	const middle = mean(scores);
	return Math.sqrt(scores.reduce((sum, score) => sum + (score - middle) ** 2, 0) / (rounds - 1));
}

function mean(values: readonly number[]): number {
	return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
