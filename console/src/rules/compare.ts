// Pairs the scores of two submissions for a view side by side.

interface ScoredCriterion {
	readonly criterion_name: string;
	readonly weight: number;
	readonly score: number;
}

export interface Pairing {
	readonly name: string;
	readonly weight: number;
	readonly left: number | null;
	readonly right: number | null;
	/** How many points the right submission is ahead, so that progress between two attempts is positive. Null unless both have a score. */
	readonly difference: number | null;
}

/** Pairs the criteria of both submissions by name, in the order of the left submission. */
export function pairCriteria(left: readonly ScoredCriterion[], right: readonly ScoredCriterion[]): readonly Pairing[] {
	const names = [...new Set([...left, ...right].map(({ criterion_name }) => criterion_name))];
	return names.map((name) => {
		const [a, b] = [left, right].map((side) => side.find(({ criterion_name }) => criterion_name === name));
		const difference = a === undefined || b === undefined ? null : Math.round((b.score - a.score) * 100) / 100;
		return { name, weight: a?.weight ?? b?.weight ?? 0, left: a?.score ?? null, right: b?.score ?? null, difference };
	});
}

/** Returns the two submissions that a reader ticked. A third replaces the one ticked first. */
export function togglePair(chosen: readonly string[], id: string): readonly string[] {
	return chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-2);
}
