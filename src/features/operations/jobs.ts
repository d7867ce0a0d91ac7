// Work in the background, as operators see it and try it again.
import * as z from "zod";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import type { AdminCtx } from "../../ports/deps.ts";
import { auditEntry } from "../admin/audit.ts";
import { enqueueEvaluation } from "../evaluation/service.ts";
import { forceReEvaluation } from "../submissions/re-evaluate.ts";
import { findTroubledDelivery, listTroubledDeliveries, retryDelivery, type TroubledDelivery } from "../webhooks/administration.ts";
import type { JOB_STATES } from "./schemas.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { listTaskJobs, retryTaskJob } from "./task-jobs.ts";

interface JobFilter {
	readonly state?: (typeof JOB_STATES)[number] | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

const idCursor = z.tuple([z.string().regex(/^[\w-]{16,100}$/)]);

/** A page of the jobs that have not succeeded, newest first. */
export async function listJobs(ctx: AdminCtx, { state, limit, cursor }: JobFilter) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const query = { state: state ?? null, before, limit: limit + 1 };
	const [jobs, jobsOfTasks, deliveries] = await Promise.all([
		store.selectJobs(ctx, { ...query, now: ctx.clock.now() }),
		listTaskJobs(ctx, query),
		listTroubledDeliveries(ctx, query),
	]);
	const rows = [...jobs, ...jobsOfTasks, ...deliveries.map(jobOf)].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit + 1);
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return { data: page.rows.map((row) => ({ ...row, since: toIso(row.since) })), pagination: page.pagination };
}

function jobOf({ id, state, webhookId, attempts, since, lastError }: TroubledDelivery): store.JobRow {
	const about = { submission_id: null, webhook_id: webhookId, task_id: null };
	return { id, kind: "delivery", state, ...about, attempts, since, last_error: lastError };
}

/**
 * Tries a job again now.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` for a job that is being worked on or has succeeded.
 */
export async function retryJob(ctx: AdminCtx, id: string, reason: string) {
	const found = await store.findJob(ctx, id);
	if (found === null) return (await retryTaskJob(ctx, id, reason)) ?? tryDeliveryAgain(ctx, id, reason);
	return found.isFinished ? judgeAnew(ctx, found, reason) : makeDue(ctx, found, { target: id, reason });
}

function assertIdle({ isLeased }: Pick<store.FoundJob, "isLeased">): void {
	if (isLeased) throw new AppError("CONFLICT", { message: "The job is being worked on at this moment." });
}

/** Makes an evaluation due that waits or is stuck. */
function makeDue(ctx: AdminCtx, job: store.FoundJob, { target, reason }: { target: string; reason: string }) {
	return decideAndCommit(ctx.db, async () => {
		const found = await store.findJob(ctx, job.id);
		if (found === null || found.isFinished) throw new AppError("CONFLICT", { message: "The job has ended by now." });
		assertIdle(found);
		const now = ctx.clock.now();
		const audit = retryEntry(ctx, { target, reason, before: { kind: "evaluation", ...found }, dueAt: now });
		await commit(ctx.db, [statements.guardIdleJob(ctx, job.id, now), statements.makeJobDue(ctx, job.id, now), audit.statement]);
		ctx.background(enqueueEvaluation(ctx, job.id));
		return { id: target, job_id: job.id, audit_id: audit.id };
	});
}

/** A new evaluation in place of one that failed. */
async function judgeAnew(ctx: AdminCtx, job: store.FoundJob, reason: string) {
	if (job.outcome !== "failed") throw new AppError("CONFLICT", { message: "The job has succeeded, so there is nothing to try again." });
	let auditId = "";
	const { jobId } = await forceReEvaluation(ctx, job.submissionId, () => {
		const audit = retryEntry(ctx, { target: job.id, reason, before: { kind: "evaluation", ...job }, dueAt: ctx.clock.now() });
		auditId = audit.id;
		return [audit.statement];
	});
	return { id: job.id, job_id: jobId, audit_id: auditId };
}

async function tryDeliveryAgain(ctx: AdminCtx, id: string, reason: string) {
	const found = await findTroubledDelivery(ctx, id);
	if (found === null)
		throw new AppError("NOT_FOUND", { message: "There is no such job. GET /api/admin/jobs lists those that have not succeeded." });
	assertIdle({ isLeased: found.state === "running" });
	const before = { kind: "delivery" as const, dueAt: found.dueAt, attempts: found.attempts, isFinished: found.state === "failed" };
	const audit = retryEntry(ctx, { target: id, reason, before, dueAt: ctx.clock.now() });
	// First, so that nothing is done that the log does not show.
	await commit(ctx.db, [audit.statement]);
	return { id, job_id: await retryDelivery(ctx, found), audit_id: audit.id };
}

interface Retry {
	readonly target: string;
	readonly reason: string;
	readonly before: { readonly kind: "evaluation" | "delivery" } & Pick<store.FoundJob, "dueAt" | "attempts" | "isFinished">;
	readonly dueAt: number;
}

function retryEntry(ctx: AdminCtx, { target, reason, before, dueAt }: Retry) {
	return auditEntry(ctx, {
		action: "job.retry",
		target,
		reason,
		before: { kind: before.kind, due_at: toIso(before.dueAt), attempts: before.attempts, has_ended: before.isFinished },
		after: { kind: before.kind, due_at: toIso(dueAt) },
	});
}
