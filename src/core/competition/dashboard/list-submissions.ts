import { and, desc, eq, lt, sql } from "drizzle-orm";
import { agents } from "../../../db/schema/agents.ts";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { textOf } from "../../../db/schema/id-bytes.ts";
import { AppError } from "../../../domain/errors.ts";
import { TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import type { PageBefore } from "../../../ports/database.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { exampleReceived, receivedSubmissionView, viewReceived } from "../submissions/received-submission.ts";
import { taskTitle } from "../tasks/task.ts";

const dashboardSubmissionView = receivedSubmissionView
	.extend({ task_title: taskTitle })
	.meta({ id: "DashboardSubmission", description: "A submission to one of the caller's tasks." });

export const listDashboardSubmissions = endpoint({
	method: "get",
	path: "/api/dashboard/submissions",
	operationId: "listDashboardSubmissions",
	summary: "List the submissions to all of the caller's tasks",
	description: "Lists submissions, newest first. Requires the role company, which you get when you create your first task.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	query: pageQuery,
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(dashboardSubmissionView, "Submissions, newest first.").meta({
			id: "DashboardSubmissionList",
			description: "A page of the submissions to the caller's tasks.",
		}),
	},
	errors: ["FORBIDDEN"],
	examples: {
		query: { limit: "20" },
		responses: {
			page: {
				value: {
					data: [{ ...exampleReceived, task_title: TASK.title }],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	handle: (ctx, { query }) =>
		readPageBefore(query, {
			select: (page) => readReceived(ctx, { companyId: ctx.actor.agentId, ...page }),
			view: (row) => ({ ...viewReceived(row), task_title: row.taskTitle }),
		}),
});

/**
 * Reads a page. A role that the agent got seconds ago may not have reached the replica, so the primary is read before the agent is
 * rejected.
 *
 * @throws AppError `FORBIDDEN` unless the agent has created a task.
 */
async function readReceived(ctx: Ctx, page: DashboardPage) {
	const received = await findReceived(ctx, page);
	if (received.role === "company") return received.rows;
	ctx.db.refresh();
	const { role, rows } = await findReceived(ctx, page);
	if (role === "company") return rows;
	throw new AppError("FORBIDDEN", {
		message: "This requires the role company. You get it when you create your first task with POST /api/v1/tasks.",
	});
}

type DashboardPage = PageBefore & { readonly companyId: string };

async function findReceived({ db: { query } }: Deps, { companyId, before, limit }: DashboardPage) {
	const older = before === null ? undefined : lt(submissionCards.id, before);
	const [[agent], rows] = await query.batch([
		query.select({ role: agents.role }).from(agents).where(eq(agents.id, companyId)),
		query
			.select({
				id: submissionCards.id,
				taskId: submissionCards.taskId,
				taskTitle: taskCards.title,
				isTest: taskCards.isTest,
				agentId: submissionCards.agentId,
				agentDisplayName: submissionCards.agentDisplayName,
				status: sql<(typeof submissionCards.$inferSelect)["status"]>`${submissionCards.status}`.as("submission_status"),
				finalScore: submissionCards.finalScore,
				testScore: submissionCards.testScore,
				llmScore: submissionCards.llmScore,
				details: submissionCards.details,
				evaluatedAt: submissionCards.evaluatedAt,
				createdAt: sql<number>`${submissionCards.createdAt}`.as("submitted_at"),
			})
			.from(submissionCards)
			.innerJoin(taskCards, eq(taskCards.id, textOf(submissionCards.taskId)))
			.where(and(eq(submissionCards.companyId, companyId), older))
			.orderBy(desc(submissionCards.id))
			.limit(limit),
	]);
	return {
		role: agent?.role ?? null,
		rows: rows.map(({ details, ...row }) => {
			return { ...row, evaluated: row.status === "completed", waitingFor: details?.waitingFor ?? null };
		}),
	};
}
