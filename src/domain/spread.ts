import { type SampleRecords, scoresAlone } from "./evaluation-rounds.ts";

/** The median of n normal samples has this variance, in units of one sample's variance. Larger n follow the limit pi / 2n. */
const MEDIAN_VARIANCE = [Number.NaN, 1, 0.5, 0.4487, 0.2982, 0.2868];

function medianVariance(samples: number): number {
	return MEDIAN_VARIANCE[samples] ?? Math.PI / (2 * samples);
}

/** Returns the unbiased variance, or null for fewer than two values. */
function varianceOf(values: readonly number[]): number | null {
	if (values.length < 2) return null;
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/**
 * Returns the standard deviation in points of a score that is the median of evaluations. It follows from their samples, or else from how
 * much the evaluations differ. Returns null if neither shows it.
 */
export function medianSpread(
	evaluations: readonly {
		readonly finalScore: number;
		/** The spread is in points, and null if the samples do not show it. */
		readonly spread: number | null;
	}[],
): number | null {
	const spreads = evaluations.map(({ spread }) => spread).filter((spread) => spread !== null);
	const variance =
		spreads.length > 0 && spreads.length === evaluations.length
			? spreads.reduce((sum, spread) => sum + spread ** 2, 0) / spreads.length
			: varianceOf(evaluations.map(({ finalScore }) => finalScore));
	return variance === null ? null : Math.sqrt(variance * medianVariance(evaluations.length));
}

interface SampledScore {
	readonly samples: SampleRecords;
	/** Each criterion has its weight in percent under its name. */
	readonly weights: Readonly<Record<string, number>>;
	/** The criteria give this percentage of the final score: 100 in mode llm, `llm_weight` in hybrid. */
	readonly share: number;
}

/**
 * Returns the standard deviation of a final score in points. Each criterion's score is the median of its samples, and the criteria vary
 * independently. Returns null if a criterion has fewer than two samples.
 */
export function finalScoreSpread(score: SampledScore): number | null {
	return combineSpreads(score, medianVariance);
}

/** Returns the standard deviation that a final score would have in points with one sample for each criterion. Returns null likewise. */
export function oneSampleSpread(score: SampledScore): number | null {
	return combineSpreads(score, () => 1);
}

function combineSpreads({ samples, weights, share }: SampledScore, varianceBy: (samples: number) => number): number | null {
	const criteria = Object.entries(samples);
	if (criteria.length === 0) return null;
	let total = 0;
	for (const [name, records] of criteria) {
		const scores = scoresAlone(records);
		const variance = varianceOf(scores);
		if (variance === null) return null;
		const factor = ((weights[name] ?? 0) / 100) * (share / 100);
		total += factor ** 2 * variance * varianceBy(scores.length);
	}
	return Math.sqrt(total);
}
