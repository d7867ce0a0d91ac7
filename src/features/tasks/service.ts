import { commit, decideAndCommit } from "../../db/commit.ts";
import { guardTaskRevision, lacksWarning } from "../../db/conditions.ts";
import type { JudgeIdentity } from "../../domain/comparison.ts";
import { AppError } from "../../domain/errors.ts";
import type { StoredTaskWarning, TaskWarning } from "../../domain/task-warnings.ts";
import { recordEventIf, recordEvents } from "../../events/outbox.ts";
import type { CommitItem, Statement } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import * as rules from "../competition/tasks/rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** The statement that records who judges on a task. A new judge begins a comparison group. */
export function recordJudge(deps: Deps, taskId: string, judge: JudgeIdentity): Statement {
	return statements.insertComparisonGroup(deps, taskId, judge);
}

/**
 * Moves a task on by itself: at its deadline, and when the last evaluation or the final round after it has ended.
 * Idempotent, and safe to call at any time.
 *
 * @returns The deadline, in milliseconds since the epoch, of a task that is open until then; else null.
 */
export function settleTask(deps: Deps, taskId: string): Promise<number | null> {
	return decideAndCommit(deps.db, async () => {
		const task = await store.findSettling(deps, taskId);
		if (task === null) return null;
		const now = deps.clock.now();
		const status = rules.settledStatus(task, task.hasRunning, now);
		if (status === null) return task.status === "open" ? task.deadline : null;
		const closing = status === "closed" ? { closedAt: now, closedBy: "deadline" as const } : {};
		const change = { type: "task.status_changed", taskId, from: task.status, to: status } as const;
		await commit(deps.db, [
			guardTaskRevision(deps.db, task),
			...(task.finalRound && status === "evaluating" ? [] : [statements.guardRunning(deps, taskId, status === "evaluating")]),
			statements.updateTask(deps, taskId, { status, ...closing, roundStatus: rules.roundAtEnd(task) }),
			recordEvents(deps, status === "closed" ? [{ type: "task.closed", taskId }, change] : [change]),
		]);
		return null;
	});
}

/**
 * Reads a task that the caller may see.
 *
 * @throws AppError `NOT_FOUND`, also for another owner's draft.
 */
async function readVisibleTask(ctx: Ctx, taskId: string): Promise<store.TaskWithRubric> {
	const found = await store.findTask(ctx, taskId, ctx.actor.agentId);
	if (found === null || !(await canReadTask(ctx, found.task, ctx.actor.agentId))) throw taskNotFound();
	return found;
}

export function taskNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such task. GET /api/v1/tasks lists the open ones." });
}

/**
 * Reads a task of the caller's.
 *
 * @throws AppError `NOT_FOUND` if the caller cannot see it, `FORBIDDEN` if it belongs to another agent.
 */
export async function readOwnTask(ctx: Ctx, taskId: string): Promise<store.TaskWithRubric> {
	const found = await readVisibleTask(ctx, taskId);
	rules.assertOwner(found.task, ctx.actor.agentId);
	return found;
}

/**
 * Whether an agent may read a task. Those who have submitted to a hidden task keep reading it. Only a hidden task costs a read.
 *
 * @param agentId Empty for readers without a key.
 */
export async function canReadTask(deps: Deps, task: ReadTask, agentId: string): Promise<boolean> {
	if (rules.canSeeTask(task, agentId)) return true;
	return task.hidden && task.status !== "draft" && agentId !== "" && (await store.hasEntered(deps, task.id, agentId));
}

type ReadTask = Pick<store.TaskRow, "id" | "companyId" | "status" | "hidden">;

interface StoredWarning extends TaskWarning {
	readonly code: StoredTaskWarning;
}

/**
 * The statements that give a task a warning and notify its owner, unless it has that warning already. Contract: ruling "Blame".
 */
export function warnOwner(deps: Deps, taskId: string, warning: StoredWarning): CommitItem[] {
	const isNew = lacksWarning(taskId, warning.code);
	return [
		recordEventIf(deps, { type: "task.warning", taskId, ...warning }, isNew),
		statements.insertWarning(deps, { taskId, ...warning, createdAt: deps.clock.now() }),
	];
}

/** Withdraws a warning. A later one of the same code notifies the owner again. */
export function withdrawWarning(deps: Deps, taskId: string, code: StoredTaskWarning): CommitItem {
	return statements.deleteWarning(deps, taskId, code);
}
