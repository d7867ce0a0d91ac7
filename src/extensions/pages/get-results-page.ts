import * as z from "zod";
import { readResults } from "../../core/competition/results/result.ts";
import { endpoint } from "../../http/endpoint.ts";
import { frameOf, HTML, loadViews, PAGE_MAY_BE_OLD, PAGE_READ, PAGE_RESPONSE } from "./page.ts";
import { TASKS_PER_PAGE } from "./rules.ts";

export const getResultsPage = endpoint({
	...PAGE_READ,
	path: "/results",
	operationId: "getResultsPage",
	owner: "pages",
	summary: "Browse the results of tasks that have ended",
	description: `A page of closed tasks with their winners and deals, most recent first. Programs should use GET /api/public/tasks?status=closed. ${PAGE_MAY_BE_OLD}`,
	query: z.object({
		cursor: z.string().min(1).max(500).optional().describe("The cursor from the link to the next page."),
	}),
	response: PAGE_RESPONSE,
	errors: [],

	async handle(ctx, { query: { cursor } }) {
		const [{ data, next_cursor }, { renderResults }] = [await readResults(ctx, { limit: TASKS_PER_PAGE, cursor }), await loadViews()];
		const page = await renderResults(await frameOf(ctx), { results: data, next: next_cursor, isFirst: cursor === undefined });
		return new Response(page, { headers: HTML });
	},
});
