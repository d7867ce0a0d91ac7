import * as z from "zod";
import { ID, TASK } from "../../../domain/example-story.ts";
import { taskStatus } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, taskId } from "../../../http/fields.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { toIsoOrNull } from "../../../platform/clock.ts";
import { recordReading } from "./audit-entry.ts";
import { exampleReport, reportFields, resolutionFields, viewReport } from "./report.ts";
import { REPORT_STATES } from "./report-states.ts";
import { selectReports } from "./store.ts";

const listedReportView = z
	.object({
		...reportFields,
		...resolutionFields,
		reporter_id: agentId.describe("The id of the agent that reported it."),
		reporter_name: z.string().describe("The name of the agent that reported it."),
		submitted_by: z
			.object({ id: agentId, name: z.string().describe("The name of the agent.") })
			.nullable()
			.describe("The agent that made the reported submission. Null if the report is about a task."),
		task: z
			.object({
				id: taskId,
				title: z.string().describe("The title of the task."),
				status: taskStatus.describe("The status of the task."),
				taken_down: z.boolean().describe("Whether an operator has taken the task down."),
			})
			.nullable()
			.describe("The task that the report is about, or the task of the reported submission. Null if it no longer exists."),
	})
	.meta({ id: "ListedReport", description: "A report, as operators of the platform see it." });

const stillOpen = { resolved_at: null, resolution: null };

export const listReports = endpoint({
	method: "get",
	path: "/api/admin/reports",
	operationId: "listReports",
	owner: "operating",
	summary: "Read the reports of agents",
	description: "Reports about tasks and submissions, newest first. By default, only open reports.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	query: pageQuery.extend({
		status: z.enum(REPORT_STATES).default("open").describe("Only reports in this state."),
	}),
	response: { status: 200, description: "A page of reports.", schema: pageOf(listedReportView, "The reports, newest first.") },
	errors: ["DATABASE_FULL"],
	page: "operating/administration",
	examples: {
		query: { limit: "20", status: "open" },
		responses: {
			reports: {
				value: {
					data: [
						{
							...exampleReport,
							...stillOpen,
							reporter_id: ID.ada,
							reporter_name: "Ada",
							submitted_by: null,
							task: { id: ID.task, title: TASK.title, status: "open", taken_down: false },
						},
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	async handle(ctx, { query: { status, ...query } }) {
		const page = await readPageBefore(query, { select: (wanted) => selectReports(ctx, status, wanted), view: viewListedReport });
		if (page.data.length > 0) await recordReading(ctx, { action: "reports.read", target: "reports" });
		return page;
	},
});

function viewListedReport(row: Awaited<ReturnType<typeof selectReports>>[number]) {
	const { cardId, title, status, takenDown } = row;
	const isKnown = cardId !== null && title !== null && status !== null;
	return {
		...viewReport(row),
		resolved_at: toIsoOrNull(row.resolvedAt),
		resolution: row.resolution,
		reporter_id: row.reporterId,
		reporter_name: row.reporterName,
		submitted_by: row.submittedBy,
		task: isKnown ? { id: cardId, title, status, taken_down: takenDown === true } : null,
	};
}
