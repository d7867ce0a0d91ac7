// With five samples, the order of close candidates is a matter of luck, so candidates near the first places get more samples.
import { roundScore } from "../../domain/scores.ts";

/** The number of first places that the extra samples decide. */
const DECIDED_PLACES = 3;
const NEAR_POINTS = 5;

interface JudgedCandidate {
	readonly finalScore: number;
	/** The submission that is judged on behalf of this candidate. Candidates with the same files share it. */
	readonly judgedId: string;
}

/**
 * Finds the candidates whose extra samples can change the first places: those at most five points below third place, or all if there are
 * fewer than three candidates. Those that share a judgement count as one. Returns none if all share one judgement.
 *
 * @param candidates The candidates with the scores of their five samples, in any order.
 */
export function findNearTies<Candidate extends JudgedCandidate>(candidates: readonly Candidate[]): Candidate[] {
	const scores = [...new Map(candidates.map(({ judgedId, finalScore }) => [judgedId, finalScore])).values()].toSorted((a, b) => b - a);
	if (scores.length < 2) return [];
	const third = scores[Math.min(DECIDED_PLACES, scores.length) - 1] ?? 0;
	return candidates.filter(({ finalScore }) => roundScore(third - finalScore) <= NEAR_POINTS);
}
