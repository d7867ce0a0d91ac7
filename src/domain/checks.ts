// A criterion is a list of checks. A judge answers each one, and the score follows from the answers.
import { roundScore } from "./scores.ts";

/** A judge answers a check from the files with one of these. `not_seen`: the answer may be in files that were not shown. */
export const FINDINGS = ["yes", "partly", "no", "not_seen"] as const;

export type Finding = (typeof FINDINGS)[number];

export const CHECKS_BOUNDS = { perCriterion: 8, perRubric: 120, characters: 300 } as const;

/** A criterion gets this many samples. Evaluations that replace others have more than these. */
export const SAMPLE_COUNTS = { usual: 1, verifiedPoster: 3, replacing: 5 } as const;

const WORTH: Readonly<Record<Finding, number>> = { yes: 1, partly: 0.5, no: 0, not_seen: 0 };

/** An evaluation stores this of each sample of a criterion. */
export interface CheckSample {
	/** If no model was asked, this is the judge's name. */
	readonly model: string;
	/** The answers count as they are here, after proof and confirmation, in the order of the criterion's checks. A person gives none. */
	readonly found: readonly Finding[];
	/** The score is 0..100. */
	readonly score: number;
}

/** Each criterion has its samples under its name. */
export type CheckSamples = Readonly<Record<string, readonly CheckSample[]>>;

/** Returns the score 0..100 of one sample of a criterion. */
export function sampleScore(findings: readonly Finding[]): number {
	return roundScore(100 * mean(findings.map((one) => WORTH[one])));
}

/** From this number of samples on, the lowest and the highest answer to a check do not count. */
const MIN_TRIMMED = 3;

/** Returns what a check is worth, from 0 to 1: the mean of its samples, without the lowest and the highest one from three samples on. */
export function checkValue(samples: readonly Finding[]): number {
	const worths = samples.map((one) => WORTH[one]).toSorted((a, b) => a - b);
	return mean(worths.length < MIN_TRIMMED ? worths : worths.slice(1, -1));
}

/** Returns the score 0..100 of a criterion. Scores that a person has given have no answers, and their mean counts. */
export function criterionScore(samples: readonly CheckSample[]): number {
	const checks = samples[0]?.found.length ?? 0;
	if (checks === 0) return roundScore(mean(samples.map(({ score }) => score)));
	const values = Array.from({ length: checks }, (_, check) => checkValue(samples.map(({ found }) => found[check] ?? "no")));
	return roundScore(100 * mean(values));
}

/** Returns the index of the first sample whose answer to a check is nearest to what the check is worth. */
export function typicalSample(samples: readonly Finding[]): number {
	const value = checkValue(samples);
	const distances = samples.map((one) => Math.abs(WORTH[one] - value));
	return distances.indexOf(Math.min(...distances));
}

/** Returns the lower of two answers. */
export function lowerFinding(a: Finding, b: Finding): Finding {
	return WORTH[b] < WORTH[a] ? b : a;
}

/** The value of a check varies this much with the number of samples, in units of one sample's variance. */
const VARIANCE_OF_SAMPLES: ReadonlyMap<number, number> = new Map([
	[1, 1],
	[3, 0.45],
	[5, 0.23],
	[13, 0.08],
]);

/** The noise of a score follows from these facts of its rubric. */
export interface NoisyRubric {
	/** The standard deviation of one check's value in one sample, 0..1. */
	readonly noise: number;
	/** The weights sum to 100. */
	readonly criteria: readonly { readonly weight: number; readonly checks: number }[];
	/** The round has this number of samples. */
	readonly samples: number;
	/** The criteria give this percentage of the final score: 100 in mode llm, `llm_weight` in hybrid. */
	readonly share: number;
}

/** Predicts the standard deviation of a final score in points. It depends on nothing that anyone could change by asking again. */
export function predictNoise({ noise, criteria, samples, share }: NoisyRubric): number {
	const factor = VARIANCE_OF_SAMPLES.get(samples) ?? 1 / samples;
	const variance = criteria.reduce((sum, { weight, checks }) => sum + ((weight / 100) ** 2 * factor) / Math.max(1, checks), 0);
	return 100 * noise * Math.sqrt(variance) * (share / 100);
}

/** The samples of one evaluation, with what they count for. */
export interface SampledScore {
	readonly samples: CheckSamples;
	/** Each criterion has its weight in percent under its name. */
	readonly weights: Readonly<Record<string, number>>;
	/** The criteria give this percentage of the final score. */
	readonly share: number;
}

/** Returns the standard deviation of the final scores that the samples would give one by one. Returns null below three of a criterion. */
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
