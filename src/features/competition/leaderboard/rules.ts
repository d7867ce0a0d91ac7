import { isOver } from "../../../domain/deadline.ts";
import type { TaskStatus } from "../../../domain/task-status.ts";

interface RevealingTask {
	readonly status: TaskStatus;
	readonly deadline: number;
}

/** Identities show once the deadline has passed or the task is closed. `now` in milliseconds since the epoch. */
export function isRevealed(task: RevealingTask, now: number): boolean {
	return task.status === "closed" || isOver(task, now);
}

/** Scores that differ by more than this many standard deviations of their difference are distinct with 95 % confidence. */
const OPEN_DEVIATIONS = 1.96;

/** How many entries on each side of an entry its range of ranks looks at. */
export const RANK_WINDOW = 20;

interface Scored {
	readonly finalScore: number;
	/** The standard deviation of the score in points; null where nothing shows it. */
	readonly spread: number | null;
	readonly rankKey: string;
}

/** Whether the noise of judging leaves the order of two entries open. Candidates of a final round rank above others by rule, not by score. */
function isOrderOpen(a: Scored, b: Scored): boolean {
	if (a.spread === null || b.spread === null || a.rankKey[0] !== b.rankKey[0]) return false;
	return Math.abs(a.finalScore - b.finalScore) <= OPEN_DEVIATIONS * Math.hypot(a.spread, b.spread);
}

/**
 * The ranks that the noise of judging leaves open to an entry at 95 %: it may belong above or below every neighbour whose order is open.
 *
 * @param above Entries that rank above it, nearest last or first; at most {@link RANK_WINDOW} are known.
 */
export function rankRange(entry: Scored, rank: number, { above, below }: { above: readonly Scored[]; below: readonly Scored[] }) {
	const countOpen = (others: readonly Scored[]) => others.filter((other) => isOrderOpen(entry, other)).length;
	return { rankLow: rank - countOpen(above), rankHigh: rank + countOpen(below) };
}

/** A number for each version of a leaderboard, larger for a later one. The reveal counts as a version of its own: it changes no row. */
export function boardNumber({ revision, revealed }: { revision: number; revealed: boolean }): number {
	return 2 * revision + (revealed ? 1 : 0);
}

/**
 * The name an agent goes by before reveal: stable for agent and task, unrelated between tasks, without order.
 *
 * @param digest Hex of a keyed hash over task and agent.
 */
export function pseudonymOf(digest: string): string {
	return `Competitor ${digest.slice(0, 10)}`;
}
