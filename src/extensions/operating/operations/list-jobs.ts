import * as z from "zod";
import { type DeliveryProblem, listDeliveryProblems } from "../../../core/events/webhooks/administration.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { count, submissionId, taskId, timestamp } from "../../../http/fields.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { BACKGROUND_JOB_KINDS, BACKGROUND_JOB_STATES, type BackgroundJob, EXAMPLE_JOB_ID, jobId, listTaskJobs } from "./task-jobs.ts";

const jobState = z
	.enum(BACKGROUND_JOB_STATES)
	.describe(
		"`waiting`: queued, or waiting for a retry. `running`: in progress, possibly at an external judge or a grader. `stuck`: its message or worker was lost, and the Task object will repeat the job. `failed`: ended without success.",
	);

const jobView = z
	.object({
		id: jobId,
		kind: z
			.enum(BACKGROUND_JOB_KINDS)
			.describe("`evaluation` of a submission, `delivery` of an event to a webhook, or `grader_run` of an image in a grader."),
		state: jobState,
		submission_id: submissionId.nullable().describe("The submission that the job is about. Null for a delivery."),
		webhook_id: z.uuid().nullable().describe("The webhook that the job is about. Null unless the job is a delivery."),
		task_id: taskId.nullable().describe("The task that the job is about. Null for a delivery."),
		attempts: count.describe("The number of attempts."),
		since: timestamp.describe("When the job was created, or, if it failed, when it ended."),
		last_error: z.string().nullable().describe("Why the last attempt failed, or what the job is waiting for. Null if neither applies."),
		supplier_words: z
			.string()
			.nullable()
			.describe("The supplier's or grader's own message about the last error, with keys removed. Null if there is none."),
	})
	.meta({ id: "Job", description: "Background work." });

export const listJobs = endpoint({
	method: "get",
	path: "/api/admin/jobs",
	operationId: "listJobs",
	owner: "operating",
	summary: "List jobs that are waiting, running, stuck or failed",
	description:
		"Lists evaluations of submissions, deliveries to webhooks and runs of images, newest first. Jobs that have succeeded are not listed.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	query: z.object({
		state: jobState.optional().describe("Only jobs in this state."),
		submission_id: submissionId.optional().describe("Only jobs about this submission."),
		...pageQuery.shape,
	}),
	response: { status: 200, description: "A page of jobs.", schema: pageOf(jobView, "The jobs, newest first.") },
	errors: [],
	page: "operating/administration",
	examples: {
		query: { state: "stuck", submission_id: ID.submission, limit: "20" },
		responses: {
			jobs: {
				value: {
					data: [
						{
							id: EXAMPLE_JOB_ID,
							kind: "evaluation",
							state: "stuck",
							submission_id: ID.submission,
							webhook_id: null,
							task_id: ID.task,
							attempts: 1,
							since: AT.submitted,
							last_error: null,
							supplier_words: null,
						},
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	handle: (ctx, { query: { state = null, submission_id: submissionId = null, ...query } }) =>
		readPageBefore(query, {
			async select(page) {
				const [jobs, deliveries] = await Promise.all([
					listTaskJobs(ctx, { state, submissionId, ...page }),
					submissionId === null ? listDeliveryProblems(ctx, { state, ...page }) : [],
				]);
				return [...jobs, ...deliveries.map(jobOf)].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
			},
			view: (row) => ({ ...row, since: toIso(row.since) }),
			id: z.string().regex(/^[\w-]{16,100}$/),
		}),
});

function jobOf({ id, state, webhookId, attempts, since, lastError }: DeliveryProblem): BackgroundJob {
	const about = { submission_id: null, webhook_id: webhookId, task_id: null };
	return { id, kind: "delivery", state, ...about, attempts, since, last_error: lastError, supplier_words: null };
}
