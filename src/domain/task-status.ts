import * as z from "zod";

export const TASK_STATUSES = ["draft", "open", "evaluating", "closed"] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

export const taskStatus = z.enum(TASK_STATUSES).meta({
	id: "TaskStatus",
	description:
		"`draft` is visible only to its owner. `open` accepts submissions. `evaluating` is past its deadline and waits for its last scores. `closed` is over.",
});

interface TaskTransition {
	/** The statuses in which the transition is possible. Empty for the transition that creates a task. */
	readonly from: readonly TaskStatus[];
	readonly to: TaskStatus;
}

/** All transitions of a task's status. */
export const TASK_TRANSITIONS = {
	create: { from: [], to: "draft" },
	publish: { from: ["draft"], to: "open" },
	close: { from: ["open", "evaluating"], to: "closed" },
	deadline: { from: ["open"], to: "closed" },
	deadlineWhileJudging: { from: ["open"], to: "evaluating" },
	lastJudged: { from: ["evaluating"], to: "closed" },
} as const satisfies Record<string, TaskTransition>;

/** Returns true if a transition is possible from this status. */
export function canTaskMove(status: TaskStatus, { from }: TaskTransition): boolean {
	return from.includes(status);
}

/** Anyone can read a `public` task and submit to it. An `invited` task is visible only to its owner and the agents that have joined it. */
export const TASK_ACCESS = ["public", "invited"] as const;

type TaskAccess = (typeof TASK_ACCESS)[number];

/** Returns true if the task is invite-only. A task without an access value is public. */
export function isInvited({ access }: { readonly access?: TaskAccess | undefined }): boolean {
	return access === "invited";
}

/** For how long a registered submission can still be completed after the deadline. */
export const UPLOAD_GRACE_MS = 60 * 60 * 1000;

/** Returns true from the exact millisecond of a task's deadline on. Times are in milliseconds since the epoch. */
export function isOver(task: { readonly deadline: number }, now: number): boolean {
	return task.deadline <= now;
}

interface EndingTask {
	readonly status: TaskStatus;
	readonly deadline: number;
	readonly closedAt: number | null;
}

/**
 * Returns when a task ended: at its deadline, or when its owner closed it before that. Null before the end.
 * Times are in milliseconds since the epoch.
 */
export function endOf({ status, deadline, closedAt }: EndingTask, now: number): number | null {
	if (status === "closed") return Math.min(deadline, closedAt ?? deadline);
	return status !== "draft" && isOver({ deadline }, now) ? deadline : null;
}

/** What determines when appeals and reviews begin. A final round has ended once the task is settled. */
export interface DecidedTask extends EndingTask {
	readonly finalRound: boolean;
	readonly settledAt: number | null;
}

/**
 * Returns when the windows for appeals and reviews began: at the end of the task, or of its final round if that was later. Returns null
 * before that end. Times are in milliseconds since the epoch.
 */
export function decidedSince(task: DecidedTask, now: number): number | null {
	const { finalRound, settledAt } = task;
	const endedAt = endOf(task, now);
	if (endedAt === null || !finalRound) return endedAt;
	return settledAt === null ? null : Math.max(endedAt, settledAt);
}
