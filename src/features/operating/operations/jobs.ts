// Work in the background, as operators see it and try it again.
import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import {
	findTroubledDelivery,
	listTroubledDeliveries,
	retryDelivery,
	type TroubledDelivery,
} from "../../events/webhooks/administration.ts";
import { auditEntry } from "../admin/audit.ts";
import type { JOB_STATES } from "./schemas.ts";
import type { JobRow } from "./store.ts";
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
	const [jobs, deliveries] = await Promise.all([listTaskJobs(ctx, query), listTroubledDeliveries(ctx, query)]);
	const rows = [...jobs, ...deliveries.map(jobOf)].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit + 1);
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return { data: page.rows.map((row) => ({ ...row, since: toIso(row.since) })), pagination: page.pagination };
}

function jobOf({ id, state, webhookId, attempts, since, lastError }: TroubledDelivery): JobRow {
	const about = { submission_id: null, webhook_id: webhookId, task_id: null };
	return { id, kind: "delivery", state, ...about, attempts, since, last_error: lastError };
}

/**
 * Tries a job again now.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` for a job that is being worked on or has succeeded.
 */
export async function retryJob(ctx: AdminCtx, id: string, reason: string) {
	return (await retryTaskJob(ctx, id, reason)) ?? tryDeliveryAgain(ctx, id, reason);
}

async function tryDeliveryAgain(ctx: AdminCtx, id: string, reason: string) {
	const found = await findTroubledDelivery(ctx, id);
	if (found === null)
		throw new AppError("NOT_FOUND", { message: "There is no such job. GET /api/admin/jobs lists those that have not succeeded." });
	if (found.state === "running") throw new AppError("CONFLICT", { message: "The job is being worked on at this moment." });
	const facts = { due_at: toIso(found.dueAt), attempts: found.attempts, has_ended: found.state === "failed" };
	const audit = auditEntry(ctx, {
		action: "job.retry",
		target: id,
		reason,
		before: { kind: "delivery", ...facts },
		after: { kind: "delivery", due_at: toIso(ctx.clock.now()) },
	});
	// First, so that nothing is done that the log does not show.
	await commit(ctx.db, [audit.statement]);
	return { id, job_id: await retryDelivery(ctx, found), audit_id: audit.id };
}
