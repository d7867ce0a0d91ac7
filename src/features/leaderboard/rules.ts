import { isOver } from "../../domain/deadline.ts";
import type { TaskStatus } from "../../domain/task-status.ts";

interface RevealingTask {
	readonly status: TaskStatus;
	readonly deadline: number;
}

/** Identities show once the deadline has passed or the task is closed. `now` in milliseconds since the epoch. */
export function isRevealed(task: RevealingTask, now: number): boolean {
	return task.status === "closed" || isOver(task, now);
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
