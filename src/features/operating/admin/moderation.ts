// Acts of operators of the deployment on tasks and submissions in Task objects, which write them into the audit log with the change.
import { AppError } from "../../../domain/errors.ts";
import { toIso } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { admitReEvaluation } from "../../competition/evaluation/request-re-evaluation.ts";
import { judgeAgain } from "../../competition/operating/jobs.ts";
import { purgeResponses } from "../../competition/public-reading/purge.ts";
import { locateSubmission } from "../../competition/submissions/store.ts";
import { voidSubmission as voidInObject } from "../../competition/submissions/void-submission.ts";
import { takeDown } from "../../competition/tasks/set-visibility.ts";
import * as store from "./store.ts";

function newAct(ctx: AdminCtx, reason: string) {
	return { id: ctx.ids.next(), actor: ctx.admin, reason };
}

/** Hides a task from all but its owner and those who have submitted, and stops it from taking more; or shows it again. */
export async function setTakenDown(ctx: AdminCtx, taskId: string, { isTakenDown, reason }: { isTakenDown: boolean; reason: string }) {
	const act = newAct(ctx, reason);
	const isOwnerSuspended = await store.isOwnerSuspended(ctx, taskId);
	const input = { act, isTakenDown, isOwnerSuspended };
	const after = await ctx.hubs.callTask(taskId, takeDown, { input, now: ctx.clock.now() });
	ctx.background(purgeResponses(ctx, taskId));
	return { id: taskId, ...after, audit_id: act.id };
}

/** Takes a submission out of the competition. */
export async function voidSubmission(ctx: AdminCtx, id: string, reason: string) {
	const act = newAct(ctx, reason);
	const taskId = await locateSubmission(ctx, id);
	const voided = await ctx.hubs.callTask(taskId, voidInObject, { input: { id, act }, now: ctx.clock.now() });
	ctx.background(purgeResponses(ctx, taskId));
	return { id, voided, audit_id: act.id };
}

/** Judges a submission again, regardless of the cooldown and the state of its task. */
export async function reEvaluate(ctx: AdminCtx, submissionId: string, reason: string) {
	const act = newAct(ctx, reason);
	const taskId = await locateSubmission(ctx, submissionId);
	const now = ctx.clock.now();
	const { artifactKey } = await ctx.hubs.callTask(taskId, admitReEvaluation, { input: { submissionId, by: null }, now });
	if ((await ctx.bucket.head(artifactKey ?? "")) === null) throw new AppError("NO_ARTIFACT");
	const { iteration } = await ctx.hubs.callTask(taskId, judgeAgain, { input: { act, submissionId }, now });
	return { id: submissionId, iteration, enqueued_at: toIso(now), audit_id: act.id };
}
