import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId } from "../../../http/fields.ts";
import { pageOf } from "../../../http/pagination.ts";
import { recordReading } from "./audit-entry.ts";
import { pageQuery, readPage } from "./page.ts";
import { exampleReport, reportFields, viewReport } from "./report.ts";
import { selectReports } from "./store.ts";

const listedReportView = z
	.object({
		...reportFields,
		reporter_id: agentId.describe("The id of the agent that reported it."),
	})
	.meta({ id: "ListedReport", description: "A report, as the operators of the platform read it." });

export const listReports = endpoint({
	method: "get",
	path: "/api/admin/reports",
	operationId: "listReports",
	summary: "Read what agents have reported",
	description: "Reports about tasks and submissions, newest first.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	query: pageQuery,
	response: { status: 200, description: "A page of reports.", schema: pageOf(listedReportView, "The reports, newest first.") },
	errors: [],
	page: "operating/administration",
	examples: {
		query: { limit: "20" },
		responses: {
			reports: { value: { data: [{ ...exampleReport, reporter_id: ID.ada }], pagination: { has_more: false, next_cursor: null } } },
		},
	},

	async handle(ctx, { query }) {
		const page = await readPage(query, (wanted) => selectReports(ctx, wanted));
		if (page.rows.length > 0) await recordReading(ctx, { action: "reports.read", target: "reports" });
		return { data: page.rows.map((row) => ({ ...viewReport(row), reporter_id: row.reporterId })), pagination: page.pagination };
	},
});
