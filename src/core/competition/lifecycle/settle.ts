import { sql } from "drizzle-orm";
import { submissions } from "../../../db/task/schema/submissions.ts";
import { advanceRound, roundDueAt } from "../../../extensions/final-round/advance-round.ts";
import type { TaskDuty, TaskStore } from "../../../ports/task.ts";
import { logClosed } from "../public-log/log.ts";
import * as rules from "../tasks/rules.ts";
import { readTask, updateTaskRow } from "../tasks/store.ts";

/**
 * Moves the task and its final round on by themselves: at the deadline, and when the last evaluation or the round after it has ended.
 * Verbs that end an evaluation call it. May be called at any time.
 */
export function settleTask(task: TaskStore): void {
	moveOn(task);
	advanceRound(task);
	moveOn(task);
}

function moveOn(task: TaskStore): void {
	const found = readTask(task);
	const status = rules.settledStatus(found, hasRunning(task), task.now);
	if (status === null) return;
	const closing = status === "closed" ? { closedAt: task.now, closedBy: "deadline" as const } : {};
	updateTaskRow(task, { status, ...closing, roundStatus: rules.roundAtEnd(found) });
	if (status === "closed") {
		logClosed(task, "deadline");
		task.record({ type: "task.closed", taskId: task.id });
	}
	task.record({ type: "task.status_changed", taskId: task.id, from: found.status, to: status });
}

function hasRunning({ db }: TaskStore): boolean {
	return db.select({ id: submissions.id }).from(submissions).where(sql`status = 'running'`).limit(1).get() !== undefined;
}

/** Settles the task at its deadline, and when only time has kept its final round from beginning. */
export const settleWhenDue: TaskDuty = {
	name: "settle",
	dueAt: (task) => {
		const found = readTask(task);
		return found.status === "open" ? found.deadline : roundDueAt(task, found);
	},
	run: settleTask,
};
