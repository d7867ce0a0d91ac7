// Acts of operators of the deployment on agents, tasks and submissions. Contract: additions, "Operators".
import { commit, decideAndCommit } from "../../db/commit.ts";
import { guardTaskRevision } from "../../db/conditions.ts";
import { guardStanding } from "../../db/parties.ts";
import { chunksOf } from "../../domain/chunks.ts";
import { AppError } from "../../domain/errors.ts";
import { recordEvents } from "../../events/outbox.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { CommitItem, Statement } from "../../ports/database.ts";
import type { AdminCtx, Deps } from "../../ports/deps.ts";
import { forgetKnownAgent } from "../api-keys/service.ts";
import { forceReEvaluation } from "../submissions/re-evaluate.ts";
import { voidSubmission } from "../submissions/void.ts";
import { auditEntry } from "./audit.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** Refuses every credential of an agent, and of the agents that its operator tokens made, and hides their tasks. */
export function suspendAgent(ctx: AdminCtx, agentId: string, reason: string) {
	return setSuspension(ctx, agentId, { isSuspended: true, reason });
}

/**
 * Ends a suspension. Tasks that were taken down stay hidden.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` for an agent whose data was erased.
 */
export function restoreAgent(ctx: AdminCtx, agentId: string, reason: string) {
	return setSuspension(ctx, agentId, { isSuspended: false, reason });
}

function setSuspension(ctx: AdminCtx, agentId: string, { isSuspended, reason }: { isSuspended: boolean; reason: string }) {
	return decideAndCommit(ctx.db, async () => {
		const found = await store.findSuspension(ctx, agentId);
		if (found === null) throw new AppError("NOT_FOUND", { message: "There is no such agent." });
		if (!isSuspended && found.erasedAt !== null) {
			throw new AppError("CONFLICT", { message: "The data of this agent was erased. It stays suspended." });
		}
		const suspendedAt = isSuspended ? (found.suspendedAt ?? ctx.clock.now()) : null;
		const audit = auditEntry(ctx, {
			action: isSuspended ? "agent.suspend" : "agent.restore",
			target: agentId,
			reason,
			before: { suspended_at: toIsoOrNull(found.suspendedAt) },
			after: { suspended_at: toIsoOrNull(suspendedAt) },
		});
		await commit(ctx.db, [
			guardStanding(ctx.db, found),
			statements.setSuspendedAt(ctx, agentId, suspendedAt),
			statements.refreshHiddenTasks(ctx, agentId),
			audit.statement,
			...updatesOf(ctx, found.runningTaskIds),
		]);
		forgetKnownAgent(agentId);
		return { id: agentId, suspended_at: toIsoOrNull(suspendedAt), hidden_tasks: found.tasks, audit_id: audit.id };
	});
}

/** The statement that hides the tasks of an agent which the same commit suspends. */
export function hideTasksOf(deps: Deps, agentId: string): Statement {
	return statements.refreshHiddenTasks(deps, agentId);
}

const EVENTS_PER_STATEMENT = 15;

/** The events that make watchers read the tasks again. */
function updatesOf(deps: Deps, taskIds: readonly string[]): CommitItem[] {
	return chunksOf(taskIds, EVENTS_PER_STATEMENT).map((ids) =>
		recordEvents(
			deps,
			ids.map((taskId) => ({ type: "task.updated", taskId })),
		),
	);
}

/** Hides a task from all but its owner and those who have submitted, and stops it from taking more. */
export function takeDownTask(ctx: AdminCtx, taskId: string, reason: string) {
	return setTakeDown(ctx, taskId, { isTakenDown: true, reason });
}

/** Undoes a take-down. */
export function restoreTask(ctx: AdminCtx, taskId: string, reason: string) {
	return setTakeDown(ctx, taskId, { isTakenDown: false, reason });
}

function setTakeDown(ctx: AdminCtx, taskId: string, { isTakenDown, reason }: { isTakenDown: boolean; reason: string }) {
	return decideAndCommit(ctx.db, async () => {
		const task = await store.findTakeDown(ctx, taskId);
		if (task === null) throw new AppError("NOT_FOUND", { message: "There is no such task." });
		const takenDownAt = isTakenDown ? (task.takenDownAt ?? ctx.clock.now()) : null;
		const hidden = isTakenDown || task.isOwnerSuspended;
		const audit = auditEntry(ctx, {
			action: isTakenDown ? "task.take_down" : "task.restore",
			target: taskId,
			reason,
			before: { taken_down_at: toIsoOrNull(task.takenDownAt), hidden: task.hidden },
			after: { taken_down_at: toIsoOrNull(takenDownAt), hidden },
		});
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, task),
			statements.setTakenDown(ctx, taskId, { takenDownAt, takenDownReason: isTakenDown ? reason : null }),
			statements.refreshHidden(ctx, taskId),
			audit.statement,
			recordEvents(ctx, [{ type: "task.updated", taskId }]),
		]);
		return { id: taskId, taken_down_at: toIsoOrNull(takenDownAt), hidden, audit_id: audit.id };
	});
}

/** Takes a submission out of the competition. */
export async function voidOut(ctx: AdminCtx, submissionId: string, reason: string) {
	let auditId = "";
	const voided = await voidSubmission(ctx, submissionId, {
		reason,
		record: ({ before, voidedAt }) => {
			const audit = auditEntry(ctx, {
				action: "submission.void",
				target: submissionId,
				reason,
				before: { status: before.status, voided_at: null, slot_returned: before.slotReturned },
				after: { status: before.status, voided_at: voidedAt, slot_returned: true },
			});
			auditId = audit.id;
			return [audit.statement];
		},
	});
	return { ...voided, audit_id: auditId };
}

/** Judges a submission again, regardless of the cooldown and the state of its task. */
export async function judgeAgain(ctx: AdminCtx, submissionId: string, reason: string) {
	let auditId = "";
	const { view } = await forceReEvaluation(ctx, submissionId, (before) => {
		const audit = auditEntry(ctx, {
			action: "submission.re_evaluate",
			target: submissionId,
			reason,
			before: { status: before.status, iteration: before.iteration },
			after: { status: "running", iteration: before.iteration + 1, enqueued_at: toIso(ctx.clock.now()) },
		});
		auditId = audit.id;
		return [audit.statement];
	});
	return { id: submissionId, iteration: view.iteration, enqueued_at: view.enqueued_at, audit_id: auditId };
}
