import { isOver, type TaskStatus } from "../../../domain/task-status.ts";

/** Returns true once the deadline has passed or the task is closed: the leaderboard then shows names. Times are milliseconds since the epoch. */
export function isRevealed(task: { readonly status: TaskStatus; readonly deadline: number }, now: number): boolean {
	return task.status === "closed" || isOver(task, now);
}

/**
 * Numbers the versions of a leaderboard; later ones have larger numbers. The reveal changes no row, but is a new version too.
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
