// Computes the points of a submission by criterion, and the points that it can still gain.
import { formatChange } from "../../../src/domain/formats.ts";

interface CriterionScore {
	readonly score: number;
	readonly weight: number;
	readonly potential_points: number | null;
}

/** Sorts the criteria by what they can gain, most first. Equal ones keep their order. */
export function sortByGain<Criterion extends CriterionScore>(criteria: readonly Criterion[]): Criterion[] {
	return criteria.toSorted((a, b) => gainOf(b) - gainOf(a));
}

function gainOf({ potential_points, score, weight }: CriterionScore): number {
	return potential_points ?? ((100 - score) * weight) / 100;
}

/** Formats a gain as "+12.50", or as "nothing" if it is zero. Returns null if the platform does not report it. */
export function formatGain({ potential_points: points }: CriterionScore): string | null {
	if (points === null) return null;
	const change = formatChange(points);
	return Number(change) === 0 ? "nothing" : change;
}

/**
 * Sums the points that all criteria could still add. Returns null if there are no criteria, or if the platform does not report all gains.
 */
export function sumGains(criteria: readonly CriterionScore[]): number | null {
	if (criteria.length === 0 || criteria.some(({ potential_points }) => potential_points === null)) return null;
	return Math.round(criteria.reduce((sum, { potential_points }) => sum + (potential_points ?? 0), 0) * 100) / 100;
}
