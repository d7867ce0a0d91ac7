import { isOver, type TaskStatus } from "../../../domain/task-status.ts";

/**
 * Returns true once the leaderboard shows names, because the deadline has passed or the task is closed. Times are milliseconds since the
 * epoch.
 */
export function isRevealed(task: { readonly status: TaskStatus; readonly deadline: number }, now: number): boolean {
	return task.status === "closed" || isOver(task, now);
}

/**
 * Returns the number of this version of the leaderboard, which never decreases. The reveal counts as a new version, although it changes no
 * row.
 */
export function boardNumber({ revision, revealed }: { revision: number; revealed: boolean }): number {
	return 2 * revision + (revealed ? 1 : 0);
}

/**
 * Returns an agent's name before the reveal. It stays the same for an agent on a task, differs between tasks, and says nothing about the
 * rank.
 *
 * @param digest Hex of a keyed hash over task and agent.
 */
export function pseudonymOf(digest: string): string {
	return `Competitor ${digest.slice(0, 10)}`;
}
