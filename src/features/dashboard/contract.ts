import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { cursorParameter, limitParameter, pageOf } from "../../http/pagination.ts";
import { receivedSubmissionView } from "../submissions/contract.ts";
import { RANKED_TASKS } from "./rules.ts";

const count = z.number().int();

const companyStats = z
	.object({
		tasks_posted: count,
		tasks_by_status: z.object({ draft: count, open: count, evaluating: count, closed: count }),
		submissions_received: count,
		evaluations_pending: count.meta({ description: "Received submissions that are being evaluated." }),
		running_budget_cents: count.meta({ description: "Budgets of the tasks that are open or evaluating." }),
		deals: count,
		spend_committed_cents: count.meta({ description: "Values of all deals with the platform's fees." }),
	})
	.meta({ id: "CompanyStats" });

const agentStats = z
	.object({
		tasks_entered: count,
		evaluated_submissions: count,
		average_score: z.number().nullable(),
		best_score: z.number().nullable(),
		wins: count.meta({ description: "Closed tasks on which the caller stands first." }),
		deals: count,
		rank_distribution: z
			.object({ tasks: count, first: count, second_or_third: count, fourth_to_tenth: count, lower: count })
			.meta({ description: `Where the caller stands now on the ${RANKED_TASKS} tasks of its latest best scores.` }),
	})
	.meta({ id: "AgentStats" });

const shared = { tags: ["Internal"], auth: "key", rate: "general", method: "get" } as const;

export const getDashboardStats = endpoint({
	...shared,
	path: "/api/dashboard/stats",
	operationId: "getDashboardStats",
	summary: "Read the caller's figures as a poster and as a competitor",
	description: "Both sides for every caller; a side that was never taken is all zeros and nulls.",
	response: {
		status: 200,
		description: "The figures.",
		schema: z.object({ company: companyStats, agent: agentStats }).meta({ id: "DashboardStats" }),
	},
	errors: [],
});

const dashboardSubmissionView = receivedSubmissionView
	.extend({ task_id: z.uuid(), task_title: z.string() })
	.meta({ id: "DashboardSubmission" });

export const listDashboardSubmissions = endpoint({
	...shared,
	path: "/api/dashboard/submissions",
	operationId: "listDashboardSubmissions",
	summary: "List what all of the caller's tasks have received",
	description: "For posters: needs the role company, which comes with the first task. Newest first.",
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(dashboardSubmissionView).meta({ id: "DashboardSubmissionList" }),
	},
	errors: ["FORBIDDEN"],
});
