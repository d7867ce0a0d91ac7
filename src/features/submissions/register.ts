// What quick-submit and registration share: the commit that uses a slot and inserts a submission.
import * as z from "zod";
import { commitReturning } from "../../db/commit.ts";
import { recordEvents } from "../../events/outbox.ts";
import type { CommitItem } from "../../ports/database.ts";
import type { Ctx } from "../../ports/deps.ts";
import { grantRoleOfSubmitter } from "../agents/service.ts";
import { assertQueueMoves, assertQuotaLeft, assertSubmittable } from "../competition/submissions/rules.ts";
import { takeOperatorUnit } from "../operators/service.ts";
import { quotaOf } from "../tasks/rules.ts";
import { canReadTask, taskNotFound } from "../tasks/service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

export type SubmitState = NonNullable<Awaited<ReturnType<typeof store.findSubmitState>>>;

/**
 * Reads what decides whether the caller may submit to a task.
 *
 * @throws AppError `NOT_FOUND`, also for another owner's draft.
 */
export async function readSubmitState(ctx: Ctx, taskId: string, idempotencyKey: string | null = null): Promise<SubmitState> {
	const state = await store.findSubmitState(ctx, { taskId, agentId: ctx.actor.agentId, idempotencyKey, now: ctx.clock.now() });
	if (state === null || !(await canReadTask(ctx, state.task, ctx.actor.agentId))) throw taskNotFound();
	return state;
}

/**
 * Decides whether the caller may submit now. New submissions are refused while evaluations have waited for too long, unless judging is
 * paused: then they wait on purpose.
 *
 * @throws AppError `TASK_NOT_OPEN`, `DEADLINE_PASSED`, `QUOTA_EXHAUSTED`, `SERVICE_PAUSED`
 */
export async function assertMaySubmit(ctx: Ctx, { task, quotaUsed, queueAgeMs }: SubmitState): Promise<void> {
	assertSubmittable(task, ctx.clock.now());
	assertQuotaLeft(quotaUsed, task.maxSubmissionsPerAgent);
	const { judging } = await ctx.switchboard.read(ctx);
	if (judging.on) assertQueueMoves(queueAgeMs, ctx.config.maxQueueAgeMs);
}

interface Registration {
	readonly row: store.NewSubmission & { readonly status: "registered" | "running" };
	/** Other items of the same commit. Those that recognise a repetition come first. */
	readonly before?: readonly CommitItem[];
	readonly after?: readonly CommitItem[];
}

const slotResult = z.tuple([z.object({ quotaUsed: z.number() })]);

/**
 * Commits the guard that the task still takes submissions, the slot, the row, the role and the event.
 *
 * @returns The caller's quota as this submission left it, counted within the commit.
 */
export async function commitSubmission(ctx: Ctx, { task, quotaUsed }: SubmitState, { row, before = [], after = [] }: Registration) {
	const { id: taskId } = task;
	const { agentId } = ctx.actor;
	const slot = statements.takeSlot(ctx, { taskId, agentId, quotaLimit: task.maxSubmissionsPerAgent, now: row.createdAt });
	const items: CommitItem[] = [
		...before,
		statements.guardOpen(ctx, task, row.createdAt),
		statements.incrementCounters(ctx, taskId, agentId),
		slot,
		...takeOperatorUnit(ctx, row.createdAt),
		statements.insertSubmission(ctx, row),
		recordEvents(ctx, [{ type: "submission.created", taskId, submissionId: row.id, agentId, status: row.status }]),
		...(ctx.actor.role === null ? [grantRoleOfSubmitter(ctx, agentId)] : []),
		...after,
	];
	// If D1 loses its response, what was read before is the best guess.
	const taken = slotResult.safeParse(await commitReturning(ctx.db, items, slot)).data?.[0].quotaUsed;
	return quotaOf(taken ?? quotaUsed + 1, task.maxSubmissionsPerAgent);
}
