import { sql } from "drizzle-orm";
import { submissions } from "../../../db/task/schema/submissions.ts";
import type { EndedFacts, TaskDuty, TaskStore } from "../../../ports/task.ts";
import { logClosed } from "../public-log/log.ts";
import * as rules from "../tasks/rules.ts";
import { readTask, updateTaskRow } from "../tasks/store.ts";

/**
 * Moves the task on by itself: at the deadline, and when the last evaluation has ended or what extensions do after it. Verbs that end an
 * evaluation call it. May be called at any time.
 */
export function settleTask(task: TaskStore, facts: EndedFacts = { scored: null }): void {
	moveOn(task);
	takeEndedSteps(task, facts);
	moveOn(task);
}

/** Has extensions do what they do after the task's end. */
export function takeEndedSteps(task: TaskStore, facts: EndedFacts = { scored: null }): void {
	for (const step of task.parts.steps.ended) step(task, facts);
}

function moveOn(task: TaskStore): void {
	const known = readTask(task);
	const status = rules.settledStatus(known, hasRunning(task), task.now);
	if (status === null) return;
	const closing = status === "closed" ? { closedAt: task.now, closedBy: "deadline" as const } : {};
	updateTaskRow(task, { status, ...closing, roundStatus: rules.roundAtEnd(known) });
	if (status === "closed") {
		logClosed(task, "deadline");
		task.record({ type: "task.closed", taskId: task.id });
	}
	task.record({ type: "task.status_changed", taskId: task.id, from: known.status, to: status });
}

function hasRunning({ db }: TaskStore): boolean {
	return db.select({ id: submissions.id }).from(submissions).where(sql`status = 'running'`).limit(1).get() !== undefined;
}

/** Settles the task at its deadline. */
export const settleWhenDue: TaskDuty = {
	name: "settle",
	dueAt: (task) => {
		const { status, deadline } = readTask(task);
		return status === "open" ? deadline : null;
	},
	run: (task) => settleTask(task),
};
