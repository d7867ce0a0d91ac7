import { asc, eq, sql } from "drizzle-orm";
import { trials, usage } from "../../../db/task/schema/judging.ts";
import { entries, warnings } from "../../../db/task/schema/task.ts";
import type { TaskWarning } from "../../../domain/task-warnings.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { imageWarnings } from "./eval-image.ts";
import { readCriteria, readOwnTask, readVisibleTask, type TaskRow } from "./store.ts";
import { viewTaskDetail } from "./views.ts";

/** The task with everything that its detail view shows to one agent. */
export const readDetail = taskVerb("readDetail", (task, { agentId }: { agentId: string }) =>
	detailOf(task, readVisibleTask(task, agentId), agentId),
);

/** {@link readDetail} for a verb that has read the task. */
export function detailOf(store: TaskStore, task: TaskRow, agentId: string) {
	const { db } = store;
	const entry = db.select({ quotaUsed: entries.quotaUsed, pick: entries.pickedId }).from(entries).where(eq(entries.agentId, agentId)).get();
	return {
		task,
		criteria: readCriteria(store),
		quotaUsed: entry?.quotaUsed ?? 0,
		pick: entry?.pick ?? null,
		judgeUsage: db.select().from(usage).where(eq(usage.holder, "task")).get() ?? null,
		judgeCheck: readJudgeCheck(store),
		warnings: db.select({ code: warnings.code, message: warnings.message }).from(warnings).orderBy(asc(warnings.createdAt)).all(),
	};
}

/** The cases of the task's judge check, in their order; none before it is published. */
export function readJudgeCheck({ db }: TaskStore) {
	return db.select().from(trials).where(sql`kind = 'judge_check'`).orderBy(asc(trials.createdAt), asc(trials.id)).all();
}

export type TaskDetail = ReturnType<typeof detailOf>;

/** The caller's own task with its rubric, for what the Worker decides before it calls another verb. */
export const readOwn = taskVerb("readOwn", (task, { by }: { by: string }) => ({
	task: readOwnTask(task, by),
	criteria: readCriteria(task),
}));

/** @throws AppError `NOT_FOUND` if the caller cannot see the task, `FORBIDDEN` if it belongs to another agent. */
export function getOwnTask(ctx: Ctx, taskId: string) {
	return ctx.hubs.callTask(taskId, readOwn, { input: { by: ctx.actor.agentId }, now: ctx.clock.now() });
}

/** Contract: "Tasks (agent side)". @throws AppError `NOT_FOUND`, also for another owner's draft. */
export async function getTask(ctx: Ctx, taskId: string) {
	const found = await ctx.hubs.callTask(taskId, readDetail, { input: { agentId: ctx.actor.agentId }, now: ctx.clock.now() });
	return viewDetail(ctx, found);
}

/** A task with its warnings, as its owner or another caller sees it. */
export function viewDetail(ctx: Ctx, found: TaskDetail) {
	const warnings = [...takenDownWarnings(found.task), ...imageWarnings(ctx, found.task), ...found.warnings];
	return viewTaskDetail({ ...found, warnings }, ctx.actor.agentId);
}

function takenDownWarnings({ takenDownReason }: Pick<TaskRow, "takenDownReason">): TaskWarning[] {
	if (takenDownReason === null) return [];
	const message = `An operator of this platform has taken the task down. Only you and those who have submitted can see it, and it takes no more submissions. Reason: ${takenDownReason}`;
	return [{ code: "TAKEN_DOWN", message }];
}
