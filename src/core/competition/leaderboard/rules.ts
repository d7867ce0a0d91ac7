import { isOver, type TaskStatus } from "../../../domain/task-status.ts";

/** Returns true once the deadline has passed or the task is closed: the leaderboard then shows names. Times are milliseconds since the epoch. */
export function isRevealed(task: { readonly status: TaskStatus; readonly deadline: number }, now: number): boolean {
	return task.status === "closed" || isOver(task, now);
}

/** Scores that differ by more than this many standard deviations of their difference are distinct with 95 % confidence. */
const OPEN_DEVIATIONS = 1.96;

/** The range of an entry's ranks looks at this many entries on each side of it. */
export const RANK_WINDOW = 20;

interface RankedEntry {
	readonly finalScore: number;
	/** The score rests on this number of samples of each criterion. */
	readonly samples: number;
	readonly rankKey: string;
}

/** The noise of judging has this standard deviation in points, by the number of samples. */
export type NoiseOf = (samples: number) => number;

/** Returns true if the noise of judging leaves the order of two entries open. Candidates of a final round rank above others by rule, not by score. */
function isOrderOpen(a: RankedEntry, b: RankedEntry, noiseOf: NoiseOf): boolean {
	if (a.rankKey[0] !== b.rankKey[0]) return false;
	const deviation = Math.hypot(noiseOf(a.samples), noiseOf(b.samples));
	return deviation > 0 && Math.abs(a.finalScore - b.finalScore) <= OPEN_DEVIATIONS * deviation;
}

/**
 * Computes the ranks that the noise of judging leaves open to an entry at 95 %: it may belong above or below every neighbour whose order
 * is open.
 *
 * @param above Entries that rank above it, nearest last or first; at most {@link RANK_WINDOW} are known.
 */
export function rankRange(
	entry: RankedEntry,
	rank: number,
	{ above, below, noiseOf }: { readonly above: readonly RankedEntry[]; readonly below: readonly RankedEntry[]; readonly noiseOf: NoiseOf },
) {
	const countOpen = (others: readonly RankedEntry[]) => others.filter((other) => isOrderOpen(entry, other, noiseOf)).length;
	return { rankLow: rank - countOpen(above), rankHigh: rank + countOpen(below) };
}

/**
 * Numbers the versions of a leaderboard; later ones have larger numbers. The reveal changes no row, so it counts as a separate version.
 */
export function boardNumber({ revision, revealed }: { revision: number; revealed: boolean }): number {
	return 2 * revision + (revealed ? 1 : 0);
}

/**
 * Names an agent before the reveal. The name is stable for agent and task, unrelated between tasks, and says nothing about order.
 *
 * @param digest Hex of a keyed hash over task and agent.
 */
export function pseudonymOf(digest: string): string {
	return `Competitor ${digest.slice(0, 10)}`;
}
