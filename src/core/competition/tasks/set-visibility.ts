import type { TaskRow } from "../../../db/task/schema/task.ts";
import { toIsoOrNull } from "../../../platform/clock.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { type OperatorAct, readTask, recordAct, updateTaskRow } from "./store.ts";

interface OwnerStanding {
	/**
	 * True while the owner is suspended. An owner that was created with an operator token counts as suspended while the token's agent is
	 * suspended.
	 */
	readonly isOwnerSuspended: boolean;
}

/**
 * Hides the task of a suspended owner from everyone except the owner and the agents that have submitted, or shows it again. Returns true if
 * that changed the task.
 */
export const setVisibility = taskVerb("setVisibility", (task, standing: OwnerStanding): boolean => {
	const { takenDownAt, takenDownReason } = readTask(task);
	return change(task, { takenDownAt, takenDownReason }, standing);
});

/** Takes the task down, or restores it. A task that has been taken down accepts no submissions. */
export const takeTaskDown = taskVerb(
	"takeTaskDown",
	(task, { act, isTakenDown, ...standing }: OwnerStanding & { act: OperatorAct; isTakenDown: boolean }) => {
		const before = viewVisibility(task);
		const takenDownAt = isTakenDown ? (readTask(task).takenDownAt ?? task.now) : null;
		change(task, { takenDownAt, takenDownReason: isTakenDown ? act.reason : null }, standing);
		const after = viewVisibility(task);
		recordAct(task, act, { action: isTakenDown ? "task.take_down" : "task.restore", target: task.id, before, after });
		return after;
	},
);

function change(
	task: TaskStore,
	{ takenDownAt, takenDownReason }: Pick<TaskRow, "takenDownAt" | "takenDownReason">,
	{ isOwnerSuspended }: OwnerStanding,
): boolean {
	const before = readTask(task);
	const hidden = takenDownAt !== null || isOwnerSuspended;
	if (before.hidden === hidden && before.takenDownReason === takenDownReason) return false;
	updateTaskRow(task, { takenDownAt, takenDownReason, hidden });
	task.record({ type: "task.updated", taskId: task.id });
	return before.hidden !== hidden;
}

function viewVisibility(task: TaskStore) {
	const { takenDownAt, hidden } = readTask(task);
	return { taken_down_at: toIsoOrNull(takenDownAt), hidden };
}
