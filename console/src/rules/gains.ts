// A submission has points from each criterion, and points that are still to gain.

interface Judged {
	readonly score: number;
	readonly weight: number;
	readonly potential_points: number | null;
}

/** The criteria with most to gain first; those of equal gain keep their order. */
export function sortByGain<Criterion extends Judged>(criteria: readonly Criterion[]): Criterion[] {
	return criteria.toSorted((a, b) => gainOf(b) - gainOf(a));
}

function gainOf({ potential_points, score, weight }: Judged): number {
	return potential_points ?? ((100 - score) * weight) / 100;
}

/** "+12.5"; "nothing" where a criterion cannot add anything, and null where the platform does not say. */
export function formatGain({ potential_points: points }: Judged): string | null {
	if (points === null) return null;
	const rounded = Math.round(points * 10) / 10;
	return rounded === 0 ? "nothing" : `+${rounded}`;
}

/** Sums the points that all criteria could still add. Null if the platform does not say. */
export function sumGains(criteria: readonly Judged[]): number | null {
	if (criteria.length === 0 || criteria.some(({ potential_points }) => potential_points === null)) return null;
	return Math.round(criteria.reduce((sum, { potential_points }) => sum + (potential_points ?? 0), 0) * 10) / 10;
}
