/**
 * Prefix lengths of a rank key that are counted, each with the length of its parent. The triggers in
 * `db/triggers.sql` count the same lengths. Siblings below one parent are few: at most 40 for the score's
 * first two digits, 16 for each further digit, and one for every 3.1 days of the task below a full score.
 */
export const COUNTED_PREFIXES: readonly (readonly [length: number, parentLength: number])[] = [
	[2, 0],
	[3, 2],
	[4, 3],
	[8, 4],
	[9, 8],
	[10, 9],
	[11, 10],
	[12, 11],
	[13, 12],
];

/** Entries that share this prefix (one score, a quarter of a second) are counted one by one. */
export const LONGEST_COUNTED_PREFIX = 13;

interface RevealingTask {
	readonly status: "draft" | "open" | "evaluating" | "closed";
	readonly deadline: number;
}

/** Identities show once the deadline has passed or the task is closed. `now` in milliseconds since the epoch. */
export function isRevealed(task: RevealingTask, now: number): boolean {
	return task.status === "closed" || task.deadline <= now;
}

/** Numbers what a leaderboard shows so that later is larger: by how often it has changed, and the reveal, which comes by itself. */
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
