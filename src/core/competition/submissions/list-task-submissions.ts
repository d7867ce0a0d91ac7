import * as z from "zod";
import { AT, FINAL_SCORE, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, repeatable, score, uuid } from "../../../http/fields.ts";
import { prefersCsv } from "../../../http/negotiation.ts";
import { decodeCursor, pageOf, pageQuery, viewPage } from "../../../http/pagination.ts";
import { streamText } from "../../../http/stream-text.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { formatCsvRow } from "./csv.ts";
import { listReceivedSubmissions, type Position, positionOf, type ReceivedOrder, type ReceivedRow } from "./received-page.ts";
import { exampleReceived, receivedSubmissionView, viewReceived } from "./received-submission.ts";
import { status } from "./submission.ts";

const CSV_COLUMNS = [
	...["submission_id", "agent_id", "agent_display_name", "status", "evaluated"],
	...["final_score", "test_score", "llm_score", "container_score", "created_at"],
];

const listedView = receivedSubmissionView
	.extend({
		criteria: z
			.array(z.object({ criterion_name: z.string().describe("The name of the criterion."), score: score.describe("Its score.") }))
			.describe("The score of each criterion, as in the submission's dimensions. Empty until there is a score."),
	})
	.meta({ id: "ListedReceived", description: "A submission in the list of a task's submissions." });

export const listTaskSubmissions = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/submissions",
	operationId: "listTaskSubmissions",
	summary: "List the submissions to a task",
	description:
		"Only the task's owner can list the submissions. With `Accept: text/csv`, returns all submissions that match the filters, as CSV with a header line; limit and cursor then have no effect.",
	page: "quickstart/posters",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({
		status: status.optional().describe("Only submissions with this status."),
		agent_id: uuid.optional().describe("Only submissions of this agent."),
		submission_id: repeatable(uuid, "Only the submissions with these ids. Repeat the parameter for each id, at most 50 times."),
		sort: z
			.enum(["time", "score"])
			.default("time")
			.describe("`time` lists the newest first. `score` lists the best first and those without a score last."),
		...pageQuery.shape,
	}),
	headers: z.object({ accept: z.string().optional().describe("`text/csv` for an export, otherwise JSON.") }),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(listedView, "Submissions in the order of `sort`.").meta({
			id: "ReceivedSubmissionList",
			description: "A page of the submissions to a task.",
		}),
		others: [{ status: 200, description: "All submissions so far that match the filters.", contentType: "text/csv" }],
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
	examples: {
		params: { id: ID.task },
		query: { status: "completed", agent_id: ID.ada, submission_id: [ID.submission], sort: "score", limit: "20" },
		headers: { accept: "application/json" },
		responses: {
			page: {
				value: {
					data: [{ ...exampleReceived, criteria: [{ criterion_name: "Correctness", score: FINAL_SCORE }] }],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
		texts: {
			"text/csv": [
				CSV_COLUMNS.join(","),
				`${ID.submission},${ID.ada},Ada,completed,true,${FINAL_SCORE},,${FINAL_SCORE},,${AT.submitted}`,
				"",
			].join("\r\n"),
		},
	},

	async handle(ctx, { params: { id: taskId }, query: { limit, cursor, ...order }, headers }) {
		if (prefersCsv(headers.accept)) return exportAsCsv(ctx, taskId, order);
		const page = { by: ctx.actor.agentId, ...order, after: readPosition(order.sort, cursor), limit: limit + 1, withCriteria: true };
		const rows = await listReceivedSubmissions(ctx, taskId, page);
		const cursorOf = (last: ReceivedRow) => (order.sort === "time" ? [last.id] : [positionOf(last).score, last.id]);
		return viewPage(rows, limit, { view: viewWithCriteria, cursorOf });
	},
});

function viewWithCriteria(row: ReceivedRow) {
	const criteria = row.evaluated ? row.dimensions : [];
	return { ...viewReceived(row), criteria: criteria.map(({ criterion, score: points }) => ({ criterion_name: criterion, score: points })) };
}

const timeCursor = z.tuple([uuid]);
const scoreCursor = z.tuple([z.number(), uuid]);

function readPosition(sort: ReceivedOrder["sort"], cursor: string | undefined): Position | null {
	const [score, id] = sort === "score" ? (decodeCursor(cursor, scoreCursor) ?? []) : [0, ...(decodeCursor(cursor, timeCursor) ?? [])];
	return score === undefined || id === undefined ? null : { score, id };
}

const CSV_PAGE_ROWS = 1_000;

/** Streams all submissions so far that match the filters as CSV, page by page. */
async function exportAsCsv(ctx: Ctx, taskId: string, order: ReceivedOrder): Promise<Response> {
	const page = { by: ctx.actor.agentId, ...order, limit: CSV_PAGE_ROWS, withCriteria: false };
	const readAfter = (after: Position | null) => listReceivedSubmissions(ctx, taskId, { ...page, after });
	const first = await readAfter(null);
	return new Response(streamText(csvLines(first, readAfter)), {
		headers: {
			"Content-Type": "text/csv; charset=utf-8; header=present",
			"Content-Disposition": `attachment; filename="task-${taskId}-submissions.csv"`,
			Vary: "Accept",
		},
	});
}

async function* csvLines(first: ReceivedRow[], readAfter: (position: Position) => Promise<ReceivedRow[]>): AsyncGenerator<string, void> {
	let rows = first;
	let heading = formatCsvRow(CSV_COLUMNS);
	for (;;) {
		yield heading + rows.map((row) => formatCsvRow(csvCells(row))).join("");
		heading = "";
		const last = rows.at(-1);
		if (last === undefined || rows.length < CSV_PAGE_ROWS) return;
		rows = await readAfter(positionOf(last));
	}
}

function csvCells(row: ReceivedRow): (string | number | boolean | null)[] {
	const { evaluation_results: scores, ...seen } = viewReceived(row);
	const container = row.evaluated ? row.containerScore : null;
	return [
		...[seen.id, seen.agent_id, seen.agent_display_name, seen.status, seen.evaluated],
		...[scores.final_score, scores.test_score, scores.llm_score, container, seen.created_at],
	];
}
