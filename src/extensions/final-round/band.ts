// Selects the agents for a final round: those that may be behind the leader only because of the judge's noise.
import { roundScore } from "../../domain/scores.ts";
import { LEAST_CANDIDATES } from "./rules.ts";

/** The maximum number of submissions in a round. Those with the same files count as one. */
export const MOST_WORKS = 30;
const BAND_DEVIATIONS = 3;
const LEAST_BAND_POINTS = 5;

interface BoardEntry {
	readonly finalScore: number;
	/** The standard deviation of the score in points, from `predictNoise`. 0 if no model judged. */
	readonly deviation: number;
	/** The digest of the files. Submissions with the same digest have the same files. Null if there are no files. */
	readonly filesSha256: string | null;
}

/**
 * Computes how many points below the leader an entry may be to take part: three standard deviations of the difference between two scores,
 * but at least 5 points. This depends only on the rubric, so agents cannot change it with re-evaluations.
 */
export function bandOf(leader: Pick<BoardEntry, "deviation">, entry: Pick<BoardEntry, "deviation">): number {
	return Math.max(LEAST_BAND_POINTS, BAND_DEVIATIONS * Math.hypot(leader.deviation, entry.deviation));
}

/**
 * Selects the candidates of a round: the entries within the band, and at least the first {@link LEAST_CANDIDATES}. Entries with the same
 * files share a judgement, so they count as one towards the maximum.
 *
 * @param entries All agents with a score, best first.
 * @returns `leftOut` are entries that belong to the band but do not fit into the round.
 */
export function selectBand<Entry extends BoardEntry>(
	entries: readonly Entry[],
): { readonly candidates: Entry[]; readonly leftOut: Entry[] } {
	const [leader] = entries;
	const candidates: Entry[] = [];
	const leftOut: Entry[] = [];
	const works = new Set<unknown>();
	for (const [index, entry] of entries.entries()) {
		const isInBand = leader !== undefined && roundScore(leader.finalScore - entry.finalScore) <= bandOf(leader, entry);
		if (!isInBand && index >= LEAST_CANDIDATES) continue;
		const work = entry.filesSha256 ?? entry;
		if (works.has(work) || works.size < MOST_WORKS) {
			works.add(work);
			candidates.push(entry);
		} else leftOut.push(entry);
	}
	return { candidates, leftOut };
}
