// A simulated submission, and a simulated model that judges it by checks. The platform's own functions decide what the answers are worth.

import { normal, type Random } from "../../../scripts/support/seeded.ts";
import { type CheckSamples, criterionScore, type Finding, predictNoise, sampleScore } from "../../../src/domain/checks.ts";

/** To which degree, from 0 to 1, a submission does each check of each criterion. */
export type Work = readonly (readonly number[])[];

export const CRITERIA = 5;
export const CHECKS = 4;
/** The default of `JUDGE_NOISE`: the standard deviation of one check's value in one sample. */
export const NOISE = 0.3;
export const ROUND_SAMPLES = 5;

export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export const qualityOf = (work: Work) => mean(work.map(mean));

/** Makes a submission that does all checks to the same degree. */
export function evenWork(quality: number): Work {
	const degree = Math.max(0, Math.min(1, quality));
	return Array.from({ length: CRITERIA }, () => Array.from({ length: CHECKS }, () => degree));
}

/** The model gives the answer that is nearest to the degree that it sees. */
const [LEAST_PARTLY, LEAST_YES] = [0.25, 0.75];

/** Draws the answer to a check that is done to a degree. */
export function drawFinding(quality: number, noise: number, random: Random): Finding {
	const seen = quality + noise * normal(random);
	if (seen < LEAST_PARTLY) return "no";
	return seen < LEAST_YES ? "partly" : "yes";
}

export function sampleOf(found: readonly Finding[]) {
	return { model: "simulated", found, score: sampleScore(found) };
}

/** Judges a submission with a model that always answers. */
export function judgeWork(
	work: Work,
	samples: number,
	{ noise, random }: { readonly noise: number; readonly random: Random },
): CheckSamples {
	const draw = (checks: readonly number[]) => checks.map((quality) => drawFinding(quality, noise, random));
	return Object.fromEntries(
		work.map((checks, criterion) => [`${criterion}`, Array.from({ length: samples }, () => sampleOf(draw(checks)))]),
	);
}

/** Joins the samples of two evaluations of one submission. */
export function joinSamples(first: CheckSamples, second: CheckSamples): CheckSamples {
	return Object.fromEntries(Object.entries(first).map(([name, samples]) => [name, [...samples, ...(second[name] ?? [])]]));
}

/** Returns the final score. All criteria have the same weight. */
export function scoreOf(samples: CheckSamples): number {
	return mean(Object.values(samples).map(criterionScore));
}

/** Returns the deviation that the platform predicts for these rubrics. */
export function predictedDeviation(samples: number, noise = NOISE): number {
	const criteria = Array.from({ length: CRITERIA }, () => ({ weight: 100 / CRITERIA, checks: CHECKS }));
	return predictNoise({ noise, criteria, samples, share: 100 });
}
