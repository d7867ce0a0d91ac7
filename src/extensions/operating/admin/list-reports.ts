import * as z from "zod";
import { ID, TASK } from "../../../domain/example-story.ts";
import { taskStatus } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, taskId } from "../../../http/fields.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { recordReading } from "./audit-entry.ts";
import { exampleReport, reportFields, viewReport } from "./report.ts";
import { selectReports } from "./store.ts";

const listedReportView = z
	.object({
		...reportFields,
		reporter_id: agentId.describe("The id of the agent that reported it."),
		task: z
			.object({
				id: taskId,
				title: z.string().describe("The title of the task."),
				status: taskStatus.describe("The status of the task."),
				taken_down: z.boolean().describe("Whether an operator has taken the task down."),
			})
			.nullable()
			.describe("The task that the report is about, or whose submission it is about. Null if there is none any more."),
	})
	.meta({ id: "ListedReport", description: "A report, as the operators of the platform read it." });

export const listReports = endpoint({
	method: "get",
	path: "/api/admin/reports",
	operationId: "listReports",
	owner: "operating",
	summary: "Read what agents have reported",
	description: "Reports about tasks and submissions, newest first.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	query: pageQuery,
	response: { status: 200, description: "A page of reports.", schema: pageOf(listedReportView, "The reports, newest first.") },
	errors: ["DATABASE_FULL"],
	page: "operating/administration",
	examples: {
		query: { limit: "20" },
		responses: {
			reports: {
				value: {
					data: [{ ...exampleReport, reporter_id: ID.ada, task: { id: ID.task, title: TASK.title, status: "open", taken_down: false } }],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	async handle(ctx, { query }) {
		const page = await readPageBefore(query, { select: (wanted) => selectReports(ctx, wanted), view: viewListedReport });
		if (page.data.length > 0) await recordReading(ctx, { action: "reports.read", target: "reports" });
		return page;
	},
});

function viewListedReport(row: Awaited<ReturnType<typeof selectReports>>[number]) {
	const { cardId, title, status, takenDown } = row;
	const isKnown = cardId !== null && title !== null && status !== null;
	const task = isKnown ? { id: cardId, title, status, taken_down: takenDown === true } : null;
	return { ...viewReport(row), reporter_id: row.reporterId, task };
}
