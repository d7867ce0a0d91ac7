import * as z from "zod";
import { deleteCards, selectCardIds } from "../../../core/competition/directory/cards.ts";
import { voidWork as voidInObject } from "../../../core/competition/submissions/void-submission.ts";
import { setVisibility } from "../../../core/competition/tasks/set-visibility.ts";
import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, instant, taskId, timestamp } from "../../../http/fields.ts";
import { DAY_MS, toIso } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { eraseTraces } from "../tasks/erase-agent.ts";
import { announceAll } from "../tasks/rebuild-directory.ts";
import { findUnknownIds, raiseRevisions, readAge } from "../tasks/rewind-task.ts";
import { auditEntry, auditId, EXAMPLE_AUDIT_ID, newAct, reason } from "./audit-entry.ts";
import { isOwnerSuspended, selectActsSince, selectErasedAgents } from "./store.ts";
import { setTakenDown } from "./taken-down.ts";

const rewindRequest = z
	.object({ reason, to: instant.describe("The time to go back to, within the last 30 days and after the task was created.") })
	.meta({ id: "TaskRewindRequest", description: "The time to which a task goes back." });

const rewoundTaskView = z
	.object({
		id: taskId,
		rewound_to: timestamp.describe("The time to which the task went back."),
		submissions: z.int().min(0).describe("Number of submissions that the task has now."),
		removed: z.int().min(0).describe("Number of submissions and dry runs that were newer than that time, and were removed from lists."),
		audit_id: auditId,
	})
	.meta({ id: "RewoundTask", description: "A task in an earlier state." });

export const rewindTask = endpoint({
	method: "post",
	path: "/api/admin/tasks/{id}/rewind",
	operationId: "rewindTask",
	owner: "operating",
	summary: "Rewind a task to an earlier time",
	description:
		"Restores the task's submissions, evaluations and leaderboard, and updates lists. Everything outside the task stays: files, deals, deliveries, monthly quotas of operator tokens, the audit log. To undo a rewind, rewind the task again, to the time just before the first rewind. Returns CONFLICT if the platform keeps no history, for example because it runs locally. Safe to repeat.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	params: idParams,
	body: { schema: rewindRequest, required: true },
	response: { status: 200, description: "The task is rewound.", schema: rewoundTaskView },
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "operating/backup",
	examples: {
		params: { id: ID.task },
		bodies: { noon: { value: { to: AT.dealt, reason: "A faulty release scored everything 0." } } },
		responses: {
			done: { value: { id: ID.task, rewound_to: AT.dealt, submissions: 120, removed: 3, audit_id: EXAMPLE_AUDIT_ID } },
		},
	},

	// First rewinds the object, then updates the cards in the directory.
	async handle(ctx, { params: { id: taskId }, body: { to, reason: why } }) {
		const now = ctx.clock.now();
		const bookmark = await findBookmark(ctx, taskId, to);
		const act = { action: "task.rewind", target: taskId, reason: why, before: { at: toIso(now) }, after: { at: toIso(to) } };
		const audit = auditEntry(ctx, act);
		// The log entry is written first, so that no rewind goes unrecorded.
		await commit(ctx.db, [audit.statement]);
		await ctx.hubs.restoreTask(taskId, bookmark);
		await raiseRevisions(ctx, taskId, null);
		const counts = await followObject(ctx, taskId, to);
		return { id: taskId, rewound_to: toIso(to), ...counts, audit_id: audit.id };
	},
});

/** Cloudflare keeps the history of an object for this long. */
export const HISTORY_MS = 30 * DAY_MS;

/**
 * Finds the object's bookmark for the time `to`, in milliseconds since the epoch. @throws AppError `NOT_FOUND`; `INVALID_BODY` for a time
 * without history; `CONFLICT` on a platform that keeps no history.
 */
async function findBookmark(ctx: AdminCtx, taskId: string, to: number): Promise<string> {
	const now = ctx.clock.now();
	const { createdAt } = await readAge(ctx, taskId, null);
	const earliest = Math.max(createdAt, now - HISTORY_MS);
	if (to <= earliest || to > now) {
		const message = `The time to go back to must be after ${toIso(earliest)} and not in the future.`;
		throw new AppError("INVALID_BODY", { message, details: [{ path: "to", message }] });
	}
	const bookmark = await ctx.hubs.findTaskBookmark(taskId, to);
	if (bookmark !== null) return bookmark;
	throw new AppError("CONFLICT", {
		message: "This platform keeps no history of its tasks, so it cannot rewind them. Deployments on Cloudflare keep 30 days.",
	});
}

/** Updates the directory after an object was rewound, and applies operators' later decisions again. */
export async function followObject(ctx: AdminCtx, taskId: string, since: number): Promise<{ submissions: number; removed: number }> {
	const removed = await removeCards(ctx, taskId);
	const submissions = await announceAll(ctx, taskId);
	await repeatLaterActs(ctx, taskId, since);
	return { submissions, removed };
}

/** Applies operators' later actions, suspensions and erasures to a rewound task again. */
async function repeatLaterActs(ctx: AdminCtx, taskId: string, since: number): Promise<void> {
	const acts = await selectActsSince(ctx, taskId, since);
	const visibility = acts.findLast(({ action }) => action !== "submission.void");
	if (visibility !== undefined) {
		const isTakenDown = visibility.action === "task.take_down";
		await setTakenDown(ctx, taskId, { isTakenDown, reason: visibility.reason });
	}
	for (const { action, target, reason: why } of acts) {
		if (action === "submission.void") await voidAgain(ctx, taskId, { id: target, why });
	}
	await setVisibility(ctx, taskId, { isOwnerSuspended: await isOwnerSuspended(ctx, taskId) });
	for (const agentId of await selectErasedAgents(ctx, taskId)) {
		await eraseTraces(ctx, taskId, { agentId });
	}
}

/** Voids a submission again, unless it is still voided or the task no longer has it. */
async function voidAgain(ctx: AdminCtx, taskId: string, { id, why }: { readonly id: string; readonly why: string }): Promise<void> {
	try {
		await voidInObject(ctx, taskId, { id, act: newAct(ctx, why) });
	} catch (error) {
		if (!(error instanceof AppError) || (error.code !== "CONFLICT" && error.code !== "NOT_FOUND")) throw error;
	}
}

const CARDS_PER_STEP = 1_000;

/** Deletes the cards of rows that the task no longer has. */
async function removeCards(ctx: AdminCtx, taskId: string): Promise<number> {
	let removed = 0;
	let after = "";
	for (;;) {
		const ids = await selectCardIds(ctx, { taskId, after, limit: CARDS_PER_STEP });
		const gone = ids.length === 0 ? [] : await findUnknownIds(ctx, taskId, { ids });
		if (gone.length > 0) await deleteCards(ctx, { taskId, ids: gone });
		removed += gone.length;
		const last = ids.at(-1);
		if (last === undefined || ids.length < CARDS_PER_STEP) return removed;
		after = last;
	}
}
