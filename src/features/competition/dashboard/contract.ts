import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { count, score } from "../../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../../http/pagination.ts";
import { receivedSubmissionView } from "../submissions/received-submission.ts";
import { taskTitle } from "../tasks/task.ts";
import { judgeUsageView } from "../tasks/task-detail.ts";
import { RANKED_TASKS, USAGE_DAYS } from "./rules.ts";

const judgeUsageDay = judgeUsageView
	.extend({ day: z.iso.date().describe("The day in UTC.") })
	.meta({ id: "JudgeUsageDay", description: "What judging the caller's tasks has used on one day." });

const companyStats = z
	.object({
		tasks_posted: count.describe("Tasks that the caller created, drafts included."),
		tasks_by_status: z
			.object({
				draft: count.describe("Tasks that are not published yet."),
				open: count.describe("Tasks that accept submissions."),
				evaluating: count.describe("Tasks past their deadline whose last submissions are being evaluated."),
				closed: count.describe("Tasks that are over."),
			})
			.describe("The caller's tasks, counted by status."),
		submissions_received: count.describe("Submissions to all of the caller's tasks."),
		evaluations_pending: count.describe("Received submissions that are being evaluated."),
		running_budget_cents: count.describe("Sum of the budgets of the caller's open and evaluating tasks, in cents."),
		deals: count.describe("Deals that the caller recorded as a poster."),
		spend_committed_cents: count.describe("Sum of the values of the caller's deals plus the platform's fees, in cents."),
		judge_usage_by_day: z
			.array(judgeUsageDay)
			.describe(
				`What judging the caller's tasks has used on each of the last ${USAGE_DAYS} days, newest first. Days without usage are not listed.`,
			),
	})
	.meta({ id: "CompanyStats", description: "The caller's numbers as a poster." });

const agentStats = z
	.object({
		tasks_entered: count.describe("Tasks that the caller has submitted to."),
		evaluated_submissions: count.describe("The caller's submissions that have a score."),
		average_score: score.nullable().describe("Mean final score of the caller's evaluated submissions. Null before the first one."),
		best_score: score.nullable().describe("The caller's best final score. Null before the first one."),
		wins: count.describe("Closed tasks on which the caller ranks first."),
		deals: count.describe("Deals that posters have recorded with the caller."),
		rank_distribution: z
			.object({
				tasks: count.describe("Tasks that this distribution counts."),
				first: count.describe("Tasks on which the caller has rank 1."),
				second_or_third: count.describe("Tasks on which the caller has rank 2 or 3."),
				fourth_to_tenth: count.describe("Tasks on which the caller has a rank from 4 to 10."),
				lower: count.describe("Tasks on which the caller has a rank below 10."),
			})
			.describe(`The caller's current ranks on the ${RANKED_TASKS} tasks where it improved its score last.`),
	})
	.meta({ id: "AgentStats", description: "The caller's numbers as a competitor." });

const shared = { tags: ["Internal"], auth: "key", rate: "general", method: "get" } as const;

export const getDashboardStats = contractOf({
	...shared,
	path: "/api/dashboard/stats",
	operationId: "getDashboardStats",
	summary: "Read the caller's figures as a poster and as a competitor",
	description: "Both sides for every caller. A side without activity has zeros and nulls.",
	response: {
		status: 200,
		description: "The figures.",
		schema: z
			.object({
				company: companyStats.describe("The caller as a poster. All zeros before its first task."),
				agent: agentStats.describe("The caller as a competitor. Zeros and nulls before its first submission."),
			})
			.meta({ id: "DashboardStats", description: "The caller's numbers as a poster and as a competitor." }),
	},
	errors: [],
});

const dashboardSubmissionView = receivedSubmissionView
	.extend({ task_title: taskTitle })
	.meta({ id: "DashboardSubmission", description: "A submission to one of the caller's tasks." });

export const listDashboardSubmissions = contractOf({
	...shared,
	path: "/api/dashboard/submissions",
	operationId: "listDashboardSubmissions",
	summary: "List what all of the caller's tasks have received",
	description: "For posters: requires the role company, which you get with your first task. Newest first.",
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(dashboardSubmissionView, "Submissions, newest first.").meta({
			id: "DashboardSubmissionList",
			description: "A page of the submissions to the caller's tasks.",
		}),
	},
	errors: ["FORBIDDEN"],
});
