// The submissions that a task has received, for its owner: a list by time or score, and all results as CSV.
import * as z from "zod";
import { UNSCORED } from "../../db/schema/submissions.ts";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { streamText } from "../../http/stream-text.ts";
import { toIso } from "../../platform/clock.ts";
import type { Ctx } from "../../ports/deps.ts";
import { formatCsvRow } from "../competition/submissions/csv.ts";
import { assertOwner, canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/service.ts";
import * as store from "./store.ts";

const timeCursor = z.tuple([uuid]);
const scoreCursor = z.tuple([z.number(), uuid]);

export interface ReceivedFilter {
	readonly status?: store.SubmissionRow["status"] | undefined;
	readonly sort: "time" | "score";
}

interface ListReceivedInput extends ReceivedFilter {
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** A page of what a task has received, newest or best first, for its owner. */
export async function listTaskSubmissions(ctx: Ctx, taskId: string, { status, sort, limit, cursor }: ListReceivedInput) {
	const after = readPlace(sort, cursor);
	const { task, rows } = await store.findReceived(ctx, { taskId, status, sort, after, limit: limit + 1 });
	assertOwnTask(ctx, task);
	const page = pageRows(rows, limit, (last) => encodeCursor(sort === "time" ? [last.id] : [placeOf(last).score, last.id]));
	return { data: page.rows.map(viewReceived), pagination: page.pagination };
}

function readPlace(sort: ReceivedFilter["sort"], cursor: string | undefined): store.ReceivedPlace | null {
	if (sort === "time") {
		const place = decodeCursor(cursor, timeCursor);
		return place === null ? null : { score: 0, id: place[0] };
	}
	const place = decodeCursor(cursor, scoreCursor);
	return place === null ? null : { score: place[0], id: place[1] };
}

function placeOf(row: store.ReceivedRow): store.ReceivedPlace {
	return { score: row.evaluated ? (row.finalScore ?? UNSCORED) : UNSCORED, id: row.id };
}

type OwnedTask = Parameters<typeof canSeeTask>[0];

function assertOwnTask(ctx: Ctx, task: OwnedTask | null): asserts task is OwnedTask {
	if (task === null || !canSeeTask(task, ctx.actor.agentId)) throw taskNotFound();
	assertOwner(task, ctx.actor.agentId);
}

type ViewedRow = Pick<
	store.ReceivedRow,
	| "id"
	| "taskId"
	| "agentId"
	| "agentDisplayName"
	| "status"
	| "evaluated"
	| "createdAt"
	| "finalScore"
	| "testScore"
	| "llmScore"
	| "evaluatedAt"
>;

export function viewReceived(row: ViewedRow) {
	const scores = row.evaluated ? row : { finalScore: null, testScore: null, llmScore: null, evaluatedAt: null };
	return {
		id: row.id,
		task_id: row.taskId,
		agent_id: row.agentId,
		agent_display_name: row.agentDisplayName,
		status: row.status,
		evaluated: row.evaluated,
		created_at: toIso(row.createdAt),
		evaluation_results: {
			final_score: scores.finalScore,
			test_score: scores.testScore,
			llm_score: scores.llmScore,
			evaluated_at: scores.evaluatedAt === null ? null : toIso(scores.evaluatedAt),
		},
	};
}

const EXPORT_PAGE = 1000;
const CSV_COLUMNS = [
	"submission_id",
	"agent_id",
	"agent_display_name",
	"status",
	"evaluated",
	"final_score",
	"test_score",
	"llm_score",
	"container_score",
	"created_at",
] as const;

/** All results of a task so far as CSV, read and sent page by page. */
export async function exportTaskSubmissions(ctx: Ctx, taskId: string, { status, sort }: ReceivedFilter): Promise<Response> {
	const readPage = (after: store.ReceivedPlace | null) => store.findReceived(ctx, { taskId, status, sort, after, limit: EXPORT_PAGE });
	const first = await readPage(null);
	assertOwnTask(ctx, first.task);
	const lines = csvLines(first.rows, async (after) => (await readPage(after)).rows);
	return new Response(streamText(lines), {
		headers: {
			"Content-Type": "text/csv; charset=utf-8; header=present",
			"Content-Disposition": `attachment; filename="task-${taskId}-submissions.csv"`,
			Vary: "Accept",
		},
	});
}

async function* csvLines(
	first: readonly store.ReceivedRow[],
	readAfter: (place: store.ReceivedPlace) => Promise<readonly store.ReceivedRow[]>,
): AsyncGenerator<string, void> {
	let rows = first;
	let heading = formatCsvRow(CSV_COLUMNS);
	for (;;) {
		yield heading + rows.map((row) => formatCsvRow(csvCells(row))).join("");
		heading = "";
		const last = rows.at(-1);
		if (last === undefined || rows.length < EXPORT_PAGE) return;
		rows = await readAfter(placeOf(last));
	}
}

function csvCells(row: store.ReceivedRow): (string | number | boolean | null)[] {
	const { evaluation_results: scores, ...seen } = viewReceived(row);
	const container = row.evaluated ? row.containerScore : null;
	return [
		seen.id,
		seen.agent_id,
		seen.agent_display_name,
		seen.status,
		seen.evaluated,
		scores.final_score,
		scores.test_score,
		scores.llm_score,
		container,
		seen.created_at,
	];
}
