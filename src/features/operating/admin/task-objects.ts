// The objects of tasks, for operators of the deployment: looking into one, putting one back, and writing all cards of the directory anew.
import type * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { DAY_MS, toIso } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { deleteCards, selectCardIds } from "../../competition/directory/cards.ts";
import { eraseTraces } from "../../competition/operating/erase-agent.ts";
import { inspect } from "../../competition/operating/inspect-task.ts";
import { announceAll, rebuildCards } from "../../competition/operating/rebuild-directory.ts";
import { findUnknown, readAge, renumber } from "../../competition/operating/rewind-task.ts";
import { setVisibility } from "../../competition/tasks/set-visibility.ts";
import { auditEntry } from "./audit.ts";
import type { directoryRequest } from "./schemas.ts";
import * as store from "./store.ts";

/** Takes one step. The first one is in the audit log. */
export async function rebuildDirectory(ctx: AdminCtx, { reason, after }: z.output<typeof directoryRequest>) {
	if (after === undefined) {
		const act = { action: "directory.rebuild", target: "directory", reason, before: {}, after: {} };
		await commit(ctx.db, [auditEntry(ctx, act).statement]);
	}
	const step = await rebuildCards(ctx, after?.task_id ?? "");
	const done = { tasks: (after?.tasks ?? 0) + step.tasks, submissions: (after?.submissions ?? 0) + step.submissions };
	return { ...done, last: step.last === null ? null : { task_id: step.last, ...done } };
}

interface Inspection {
	readonly table?: string | undefined;
	readonly offset: number;
	readonly limit: number;
}

/** Rows of the tables of a task's object. */
export async function inspectTask(ctx: AdminCtx, id: string, { table, ...page }: Inspection) {
	const tables = await ctx.hubs.callTask(id, inspect, { input: { table: table ?? null, ...page }, now: ctx.clock.now() });
	return { id, tables };
}

/** As long as Cloudflare keeps the history of an object. */
const HISTORY_MS = 30 * DAY_MS;

/**
 * Puts the object of a task back to a moment, in milliseconds since the epoch, and has the directory follow.
 *
 * @throws AppError `NOT_FOUND`; `INVALID_BODY` for a moment without history; `CONFLICT` on a platform that keeps none.
 */
export async function rewindTask(ctx: AdminCtx, taskId: string, { to, reason }: { to: number; reason: string }) {
	const now = ctx.clock.now();
	const { createdAt } = await ctx.hubs.callTask(taskId, readAge, { input: null, now });
	const earliest = Math.max(createdAt, now - HISTORY_MS);
	if (to <= earliest || to > now) {
		const message = `The moment must be after ${toIso(earliest)} and not in the future.`;
		throw new AppError("INVALID_BODY", { message, details: [{ path: "to", message }] });
	}
	const bookmark = await ctx.hubs.findTaskBookmark(taskId, to);
	if (bookmark === null) {
		throw new AppError("CONFLICT", {
			message: "This platform keeps no history of its tasks, so none of them can go back. Deployments on Cloudflare keep 30 days.",
		});
	}
	const act = { action: "task.rewind", target: taskId, reason, before: { at: toIso(now) }, after: { at: toIso(to) } };
	const audit = auditEntry(ctx, act);
	// First, so that nothing is done that the log does not show.
	await commit(ctx.db, [audit.statement]);
	await ctx.hubs.restoreTask(taskId, bookmark);
	await ctx.hubs.callTask(taskId, renumber, { input: null, now: ctx.clock.now() });
	const removed = await removeCards(ctx, taskId);
	const submissions = await announceAll(ctx, taskId);
	await repeatLaterActs(ctx, taskId);
	return { id: taskId, rewound_to: toIso(to), submissions, removed, audit_id: audit.id };
}

/** Suspensions and erasures hold for a task that is as it was before them. */
async function repeatLaterActs(ctx: AdminCtx, taskId: string): Promise<void> {
	const now = ctx.clock.now();
	const isOwnerSuspended = await store.isOwnerSuspended(ctx, taskId);
	await ctx.hubs.callTask(taskId, setVisibility, { input: { isOwnerSuspended }, now });
	for (const agentId of await store.selectErasedAgents(ctx, taskId)) {
		await ctx.hubs.callTask(taskId, eraseTraces, { input: { agentId }, now });
	}
}

const CARDS_PER_STEP = 1_000;

/** Deletes the cards of what the task no longer has. */
async function removeCards(ctx: AdminCtx, taskId: string): Promise<number> {
	let removed = 0;
	let after = "";
	for (;;) {
		const ids = await selectCardIds(ctx, { taskId, after, limit: CARDS_PER_STEP });
		const gone = ids.length === 0 ? [] : await ctx.hubs.callTask(taskId, findUnknown, { input: { ids }, now: ctx.clock.now() });
		if (gone.length > 0) await deleteCards(ctx, gone);
		removed += gone.length;
		const last = ids.at(-1);
		if (last === undefined || ids.length < CARDS_PER_STEP) return removed;
		after = last;
	}
}
