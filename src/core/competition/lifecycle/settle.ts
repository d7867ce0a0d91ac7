import { sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { submissions } from "../../../db/task/schema/submissions.ts";
import type { EndedFacts, TaskDuty, TaskStore } from "../../../ports/task.ts";
import { logClosed } from "../public-log/log.ts";
import * as rules from "../tasks/rules.ts";
import { readTask, updateTaskRow } from "../tasks/store.ts";

/**
 * Moves the task to its next status: at the deadline, when the last evaluation has ended, and when extensions have finished their work
 * after that. Every verb that ends a task or an evaluation calls it. It is safe to call at any time.
 */
export function settleTask(task: TaskStore, facts: EndedFacts = { scored: null }): void {
	const replies = task.parts.steps.ended.map((step) => step(task, facts));
	const isWaiting = replies.includes("wait");
	moveOn(task, isWaiting);
	const { status, settledAt } = readTask(task);
	if (status === "closed" && settledAt === null && !isWaiting) updateTaskRow(task, { settledAt: task.now });
}

/** @param isWaiting True while an extension is still working on the ranks. */
function moveOn(task: TaskStore, isWaiting: boolean): void {
	const before = readTask(task);
	const status = rules.nextStatus(before, isWaiting || hasRunning(task), task.now);
	if (status === null) return;
	const closing = status === "closed" ? { closedAt: task.now, closedBy: "deadline" as const } : {};
	updateTaskRow(task, { status, ...closing });
	if (status === "closed") {
		logClosed(task, "deadline");
		task.record({ type: "task.closed", taskId: task.id });
	}
	task.record({ type: "task.status_changed", taskId: task.id, from: before.status, to: status });
}

function hasRunning({ db }: TaskStore): boolean {
	return runningQuery(db).get() !== undefined;
}

const runningQuery = prepareOnce((db) =>
	db.select({ id: submissions.id }).from(submissions).where(sql`status = 'running'`).limit(1).prepare(),
);

/** Moves the task to its next status at the deadline. */
export const settleWhenDue: TaskDuty = {
	name: "settle",
	dueAt: (task) => {
		const { status, deadline } = readTask(task);
		return status === "open" ? deadline : null;
	},
	run: (task) => settleTask(task),
};
