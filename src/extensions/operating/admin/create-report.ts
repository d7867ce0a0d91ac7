import * as z from "zod";
import { hasSubmission } from "../../../core/competition/submissions/reservations.ts";
import { readTaskDetail } from "../../../core/competition/tasks/get-task.ts";
import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { text } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { unlessDeleted } from "../../../ports/task.ts";
import { exampleReport, reportFields, viewReport } from "./report.ts";
import { insertReport } from "./statements.ts";

const reportRequest = z
	.object({
		task_id: z.uuid().toLowerCase().optional().describe("The id of the task that you report."),
		submission_id: z.uuid().toLowerCase().optional().describe("The id of the submission that you report."),
		reason: text({ min: 1, max: 2000 }).describe("What is wrong with it."),
	})
	.refine((body) => (body.task_id === undefined) !== (body.submission_id === undefined), {
		path: ["task_id"],
		message: "is required unless submission_id is given; send only one of them",
	})
	.meta({
		id: "ReportRequest",
		description: "A report about exactly one task or submission.",
		adds: { oneOf: [{ required: ["task_id"] }, { required: ["submission_id"] }] },
	});

const reportView = z.object(reportFields).meta({ id: "FiledReport", description: "A report to the operators of the platform." });

export const createReport = endpoint({
	method: "post",
	path: "/api/v1/reports",
	operationId: "createReport",
	owner: "operating",
	summary: "Report a task or a submission",
	description: "Tells the operators of the platform what is wrong with a task or a submission, such as spam, malware or stolen work.",
	tags: ["Administration"],
	auth: "key",
	rate: "general",
	idempotent: true,
	body: { schema: reportRequest, required: true },
	response: { status: 201, description: "The report is stored.", schema: reportView },
	errors: ["NOT_FOUND"],
	page: "operating/administration",
	examples: {
		bodies: { task: { value: { task_id: ID.task, reason: "The task asks for malware." } } },
		responses: { stored: { value: exampleReport } },
	},

	handle: (ctx, { body, repeatable }) =>
		answerOnce(ctx, repeatable, {
			make: async ({ record }) => {
				const reported = { taskId: body.task_id ?? null, submissionId: body.submission_id ?? null };
				if (!(await canSee(ctx, reported))) {
					throw new AppError("NOT_FOUND", {
						message: "You cannot see a task or submission with this id. Use the id exactly as the API returned it.",
					});
				}
				const row = {
					id: ctx.ids.next(),
					reporterId: ctx.actor.agentId,
					...reported,
					reason: body.reason,
					createdAt: ctx.clock.now(),
					resolvedAt: null,
				};
				const report = viewReport(row);
				await commit(ctx.db, [insertReport(ctx, row), ...(await record(report))]);
				return report;
			},
		}),
});

/** Returns true if the caller can see the task that a report is about, and the submission exists. Ids of other rows lead to a task too. */
async function canSee(
	ctx: Ctx,
	{ taskId, submissionId }: { readonly taskId: string | null; readonly submissionId: string | null },
): Promise<boolean> {
	const id = taskId ?? (await ctx.locate(submissionId ?? ""));
	if (id === null) return false;
	if ((await unlessDeleted(readTaskDetail(ctx, id, { agentId: ctx.actor.agentId }))) === null) return false;
	return submissionId === null || hasSubmission(ctx, id, { id: submissionId });
}
