import * as z from "zod";
import { findDeliveryProblem, retryDelivery } from "../../../core/events/webhooks/administration.ts";
import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { text } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { actRequest, auditEntry, EXAMPLE_AUDIT_ID } from "../admin/audit-entry.ts";
import { EXAMPLE_JOB_ID, jobId, retryTaskJob } from "./task-jobs.ts";

const jobParams = z.object({ id: text({ min: 1, max: 100 }).describe("The job's id, as the list returned it.") });

const retriedJobView = z
	.object({
		id: jobId,
		job_id: z.string().describe("The job that is due now: the same job, or a new one if the old one had failed."),
		audit_id: z.uuid().describe("The id of the entry in the audit log."),
	})
	.meta({ id: "RetriedJob", description: "A retried job." });

export const retryJob = endpoint({
	method: "post",
	path: "/api/admin/jobs/{id}/retry",
	operationId: "retryJob",
	owner: "operating",
	summary: "Retry a job now",
	description:
		"Makes a waiting or stuck job due now. A failed evaluation or delivery gets a new job. If the job is a run of an image, the evaluation that waits for the run checks it now.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	params: jobParams,
	body: { schema: actRequest, required: true },
	response: { status: 200, description: "The job is due.", schema: retriedJobView },
	errors: ["NOT_FOUND", "CONFLICT", "WRONG_STATUS", "SUBMISSION_IN_PROGRESS", "NO_ARTIFACT"],
	page: "operating/administration",
	examples: {
		params: { id: EXAMPLE_JOB_ID },
		bodies: { stuck: { value: { reason: "It has been stuck since the deployment." } } },
		responses: { due: { value: { id: EXAMPLE_JOB_ID, job_id: EXAMPLE_JOB_ID, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	handle: async (ctx, { params: { id }, body: { reason } }) =>
		(await retryTaskJob(ctx, id, reason)) ?? retryTroubledDelivery(ctx, id, reason),
});

/**
 * Tries a delivery again now.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` while an attempt is running.
 */
async function retryTroubledDelivery(ctx: AdminCtx, id: string, reason: string) {
	const problem = await findDeliveryProblem(ctx, id);
	if (problem === null) {
		throw new AppError("NOT_FOUND", { message: "There is no such job. GET /api/admin/jobs lists the jobs that have not succeeded." });
	}
	if (problem.state === "running") throw new AppError("CONFLICT", { message: "The job is being worked on at the moment." });
	const facts = { due_at: toIso(problem.dueAt), attempts: problem.attempts, has_ended: problem.state === "failed" };
	const audit = auditEntry(ctx, {
		action: "job.retry",
		target: id,
		reason,
		before: { kind: "delivery", ...facts },
		after: { kind: "delivery", due_at: toIso(ctx.clock.now()) },
	});
	// The log entry is written first, so that no retry goes unrecorded.
	await commit(ctx.db, [audit.statement]);
	return { id, job_id: await retryDelivery(ctx, problem), audit_id: audit.id };
}
