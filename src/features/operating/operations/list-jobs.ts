import * as z from "zod";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { count, submissionId, taskId, timestamp } from "../../../http/fields.ts";
import { cursorParameter, decodeCursor, encodeCursor, limitParameter, pageOf, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { type DeliveryProblem, listDeliveryProblems } from "../../events/webhooks/administration.ts";
import { BACKGROUND_JOB_KINDS, BACKGROUND_JOB_STATES, type BackgroundJob, EXAMPLE_JOB_ID, jobId } from "./job.ts";
import { listTaskJobs } from "./task-jobs.ts";

const jobState = z
	.enum(BACKGROUND_JOB_STATES)
	.describe(
		"`waiting`: it is queued or backs off. `running`: it is being worked on, or an outside judge or a grader works for it. `stuck`: its message or its worker was lost, and the task repeats it. `failed`: it has ended without success.",
	);

const jobView = z
	.object({
		id: jobId,
		kind: z
			.enum(BACKGROUND_JOB_KINDS)
			.describe("`evaluation` of a submission, `delivery` of an event to a webhook, or `grader_run` of an image in a grader."),
		state: jobState,
		submission_id: submissionId.nullable().describe("The submission that it is about. Null for a delivery."),
		webhook_id: z.uuid().nullable().describe("The webhook that it is about. Null unless it is a delivery."),
		task_id: taskId.nullable().describe("The task that it is about. Null for a delivery."),
		attempts: count.describe("How often it was tried."),
		since: timestamp.describe("When it was created, or, if it failed, when it ended."),
		last_error: z.string().nullable().describe("Why the last attempt failed, or what it waits for. Null without a fault."),
	})
	.meta({ id: "Job", description: "Work in the background." });

export const listJobs = endpoint({
	method: "get",
	path: "/api/admin/jobs",
	operationId: "listJobs",
	summary: "See what waits, runs, is stuck or has failed",
	description:
		"Evaluations of submissions, deliveries to webhooks and runs of images, newest first. Work that has succeeded is not listed.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	query: z.object({
		state: jobState.optional().describe("Only jobs in this state."),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: cursorParameter,
	}),
	response: { status: 200, description: "A page of jobs.", schema: pageOf(jobView, "The jobs, newest first.") },
	errors: [],
	page: "operating/administration",
	examples: {
		query: { state: "stuck", limit: "20" },
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
						},
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	async handle(ctx, { query: { state, limit, cursor } }) {
		const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
		const query = { state: state ?? null, before, limit: limit + 1 };
		const [jobs, deliveries] = await Promise.all([listTaskJobs(ctx, query), listDeliveryProblems(ctx, query)]);
		const rows = [...jobs, ...deliveries.map(jobOf)].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit + 1);
		const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
		return { data: page.rows.map((row) => ({ ...row, since: toIso(row.since) })), pagination: page.pagination };
	},
});

const idCursor = z.tuple([z.string().regex(/^[\w-]{16,100}$/)]);

function jobOf({ id, state, webhookId, attempts, since, lastError }: DeliveryProblem): BackgroundJob {
	const about = { submission_id: null, webhook_id: webhookId, task_id: null };
	return { id, kind: "delivery", state, ...about, attempts, since, last_error: lastError };
}
