import { commit, decideAndCommit } from "../../db/commit.ts";
import { guardTaskRevision, lacksWarning } from "../../db/conditions.ts";
import type { JudgeIdentity } from "../../domain/comparison.ts";
import { AppError } from "../../domain/errors.ts";
import { isProvisional } from "../../domain/evaluation-rounds.ts";
import { MODES } from "../../domain/modes.ts";
import { TASK_TRANSITIONS } from "../../domain/task-status.ts";
import type { StoredTaskWarning, TaskWarning } from "../../domain/task-warnings.ts";
import { recordEventIf, recordEvents } from "../../events/outbox.ts";
import { afterResponse } from "../../http/after-response.ts";
import { toIso } from "../../platform/clock.ts";
import type { CommitItem, Statement } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { rubricWarnings } from "../lint/service.ts";
import { indexNow } from "../search-index/service.ts";
import { createImagePinner, imageWarnings } from "./eval-image.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { viewTaskDetail, viewWatchedTask } from "./views.ts";

export { viewTask } from "./views.ts";

/**
 * Opens a draft, pins what its image means now, queues the judge check, and sets the alarm at its deadline. Contract: "Task states";
 * ruling "Images".
 *
 * @throws AppError as {@link rules.assertPublishable} and {@link rules.assertJudgeable} do.
 */
export function publishTask(ctx: Ctx, taskId: string) {
	const pinImage = createImagePinner(ctx);
	return decideAndCommit(ctx.db, async () => {
		const { task, criteria } = await readOwnTask(ctx, taskId);
		const now = ctx.clock.now();
		rules.assertPublishable(task, criteria, now);
		rules.assertJudgeable(task.evalMode, ctx.judge !== null);
		const image = await pinImage(task);
		const status = TASK_TRANSITIONS.publish.to;
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, task),
			statements.updateTask(ctx, taskId, { status, publishedAt: now, evalImageDigest: image.digest }),
			// An isolate may accept a key for some seconds after its agent was suspended.
			statements.refreshHidden(ctx, taskId),
			...pinJudge(ctx, task),
			recordEvents(ctx, [
				{ type: "task.opened", taskId },
				{ type: "task.matched", taskId },
				{ type: "task.status_changed", taskId, from: "draft", to: "open" },
			]),
		]);
		afterResponse(ctx, () => ctx.hubs.scheduleDeadline(taskId, task.deadline));
		await indexNow(ctx, { ...task, status, revision: task.revision + 1 });
		return { id: taskId, status, title: task.title, warnings: [...image.warnings, ...rubricWarnings(taskId, criteria)] };
	});
}

/** The task's first comparison group: judge, models and prompt version as they are at publish. */
function pinJudge(ctx: Ctx, { id, evalMode }: store.TaskRow): CommitItem[] {
	if (ctx.judge === null || !MODES[evalMode].usesJudge) return [];
	const { name, models, promptVersion } = ctx.judge;
	return [recordJudge(ctx, id, { judge: name, models, promptVersion })];
}

/** The statement that records who judges on a task. A new judge begins a comparison group. */
export function recordJudge(deps: Deps, taskId: string, judge: JudgeIdentity): Statement {
	return statements.insertComparisonGroup(deps, taskId, judge);
}

/**
 * Moves the deadline of an open task to a later time, and its alarm with it. Contract: additions, "The poster's loop".
 *
 * @param deadline Milliseconds since the epoch.
 * @throws AppError as {@link rules.assertExtendable} does.
 */
export function extendTask(ctx: Ctx, taskId: string, deadline: number) {
	return decideAndCommit(ctx.db, async () => {
		const { task } = await readOwnTask(ctx, taskId);
		rules.assertExtendable(task, deadline, ctx.clock.now());
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, task),
			statements.updateTask(ctx, taskId, { deadline }),
			recordEvents(ctx, [{ type: "task.updated", taskId }]),
		]);
		// If this fails, the earlier alarm finds the new deadline and sets itself again.
		ctx.background(ctx.hubs.scheduleDeadline(taskId, deadline));
		return { id: taskId, status: task.status, deadline: toIso(deadline) };
	});
}

/** Closes an open or evaluating task for its owner. A final round begins in the same change, or continues. */
export function closeTask(ctx: Ctx, taskId: string) {
	return decideAndCommit(ctx.db, async () => {
		const { task } = await readOwnTask(ctx, taskId);
		rules.assertClosable(task);
		const now = ctx.clock.now();
		const status = TASK_TRANSITIONS.close.to;
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, task),
			statements.updateTask(ctx, taskId, {
				status,
				closedAt: now,
				closedBy: "owner",
				roundStatus: rules.roundAtEnd(task),
			}),
			recordEvents(ctx, [
				{ type: "task.closed", taskId },
				{ type: "task.status_changed", taskId, from: task.status, to: "closed" },
			]),
		]);
		await indexNow(ctx, { ...task, status, revision: task.revision + 1 });
		return { id: taskId, status };
	});
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

const SWEEP_BATCH = 100;

/** The safety net under the deadline alarms. */
export async function settleOverdueTasks(deps: Deps): Promise<void> {
	for (const taskId of await store.selectUnsettled(deps, { now: deps.clock.now(), limit: SWEEP_BATCH })) {
		await settleTask(deps, taskId);
	}
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

export async function getTask(ctx: Ctx, taskId: string) {
	return viewDetail(ctx, await readVisibleTask(ctx, taskId));
}

/** A task with its warnings, as its owner or another caller sees it. */
export function viewDetail(ctx: Ctx, found: store.TaskWithRubric) {
	const warnings = [...takenDownWarnings(found.task), ...imageWarnings(ctx, found.task), ...found.warnings];
	return viewTaskDetail({ ...found, warnings }, ctx.actor.agentId);
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

function takenDownWarnings({ takenDownReason }: Pick<store.TaskRow, "takenDownReason">): TaskWarning[] {
	if (takenDownReason === null) return [];
	const message = `An operator of this platform has taken the task down. Only you and those who have submitted can see it, and it takes no more submissions. Reason: ${takenDownReason}`;
	return [{ code: "TAKEN_DOWN", message }];
}

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

export type Opening = Awaited<ReturnType<typeof listOpenings>>["openings"][number];

/** The tasks that were published after opening `after`, oldest first, and the number of the last opening of all; 0 for none. */
export async function listOpenings(deps: Deps, range: { after: number | null; limit: number }) {
	const { head, rows } = await store.selectOpenings(deps, range);
	return { head, openings: rows.map(({ number, task }) => ({ number, task: { hidden: task.hidden, view: viewWatchedTask(task) } })) };
}

/**
 * A task as streams show it, and what decides who may see it; null for an unknown task. With `after`, also its state after each
 * later change.
 */
export async function findWatchedTask(deps: Deps, taskId: string, after: number | null = null) {
	const found = await store.findWatchedTask(deps, taskId, after);
	if (found === null) return null;
	const { task, number, changes } = found;
	return {
		id: task.id,
		companyId: task.companyId,
		hidden: task.hidden,
		number,
		view: viewWatchedTask(task),
		provisional: isProvisional(task),
		changes: changes.map(({ number, state }) => {
			const then = { ...task, ...state };
			return { number, view: viewWatchedTask(then), provisional: isProvisional(then), hidden: then.hidden };
		}),
	};
}
