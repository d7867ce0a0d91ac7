// What a task has received, for its owner: by time or by score, and all results as CSV.
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { isNotCompleted, submissions } from "../../../db/task/schema/submissions.ts";
import { SUBMISSION_STATUSES } from "../../../domain/submission-status.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { streamText } from "../../../http/stream-text.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { readOwnTask } from "../tasks/store.ts";
import { formatCsvRow } from "./csv.ts";
import type { SubmissionRow } from "./store.ts";

const timeCursor = z.tuple([uuid]);
const scoreCursor = z.tuple([z.number(), uuid]);

/** The score of a submission without one, in the order of the list: below every score. */
const UNSCORED = -1;
const UNSCORED_STATUSES = SUBMISSION_STATUSES.filter((status) => status !== "completed");

/** The last submission of a page, in the order of score and id. */
interface Place {
	readonly score: number;
	readonly id: string;
}

interface ReceivedFilter {
	readonly status?: SubmissionRow["status"] | undefined;
	readonly sort: "time" | "score";
}

interface ReceivedPage extends ReceivedFilter {
	readonly by: string;
	readonly after: Place | null;
	readonly limit: number;
}

const shownColumns = {
	id: submissions.id,
	agentId: submissions.agentId,
	agentDisplayName: submissions.agentDisplayName,
	status: submissions.status,
	evaluated: submissions.evaluated,
	finalScore: submissions.finalScore,
	testScore: submissions.testScore,
	llmScore: submissions.llmScore,
	containerScore: submissions.containerScore,
	evaluatedAt: submissions.evaluatedAt,
	createdAt: submissions.createdAt,
};

/** A page, newest or best first. */
export const listReceived = taskVerb("listReceived", (task, { by, status, sort, after, limit }: ReceivedPage) => {
	readOwnTask(task, by);
	const isOlder = after === null ? undefined : lt(submissions.id, after.id);
	const withTask = (rows: readonly Omit<ReceivedSubmission, "taskId">[]) => rows.map((row) => ({ ...row, taskId: task.id }));
	// Only completed submissions have a score, so a list of another status is sorted by time.
	if (sort === "time" || (status !== undefined && status !== "completed")) {
		const ofStatus = status === undefined ? undefined : hasStatus(status);
		return withTask(selectShown(task, and(ofStatus, isOlder)).orderBy(desc(submissions.id)).limit(limit).all());
	}
	const hasMoreScored = after === null || after.score > UNSCORED;
	const scored = hasMoreScored ? selectScored(task, after, limit) : [];
	const left = limit - scored.length;
	return withTask([...scored, ...(status === undefined && left > 0 ? selectUnscored(task, hasMoreScored ? null : after, left) : [])]);
});

function selectShown({ db }: TaskStore, condition: SQL | undefined) {
	return db.select(shownColumns).from(submissions).where(condition);
}

type ReceivedSubmission = ReturnType<ReturnType<typeof selectShown>["all"]>[number];

function hasStatus(status: SubmissionRow["status"]): SQL | undefined {
	return and(eq(submissions.status, status), status === "completed" ? undefined : isNotCompleted);
}

/** Best first, by the index of scores. */
function selectScored(task: TaskStore, after: Place | null, limit: number): ReceivedSubmission[] {
	const isLower = after === null ? undefined : sql`(${submissions.finalScore}, ${submissions.id}) < (${after.score}, ${after.id})`;
	return selectShown(task, and(sql`evaluated = 1`, isLower)).orderBy(desc(submissions.finalScore), desc(submissions.id)).limit(limit).all();
}

/** Newest first. The index of states has each state in this order, and SQLite merges them as far as the page needs. */
function selectUnscored(task: TaskStore, after: Place | null, limit: number): ReceivedSubmission[] {
	const isOlder = after === null ? undefined : lt(submissions.id, after.id);
	const [first, second, ...others] = UNSCORED_STATUSES.map((status) => selectShown(task, and(hasStatus(status), isOlder)));
	if (first === undefined || second === undefined) return [];
	return unionAll(first, second, ...others)
		.orderBy(desc(submissions.id))
		.limit(limit)
		.all();
}

type ReceivedRow = ReturnType<(typeof listReceived)["run"]>[number];

export function viewReceived(row: Omit<ReceivedRow, "containerScore">) {
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

function readPage(ctx: Ctx, taskId: string, page: Omit<ReceivedPage, "by">): Promise<ReceivedRow[]> {
	return ctx.hubs.callTask(taskId, listReceived, { input: { by: ctx.actor.agentId, ...page }, now: ctx.clock.now() });
}

interface ListReceivedInput extends ReceivedFilter {
	readonly limit: number;
	readonly cursor?: string | undefined;
}

export async function listTaskSubmissions(ctx: Ctx, taskId: string, { status, sort, limit, cursor }: ListReceivedInput) {
	const rows = await readPage(ctx, taskId, { status, sort, after: readPlace(sort, cursor), limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => encodeCursor(sort === "time" ? [last.id] : [placeOf(last).score, last.id]));
	return { data: page.rows.map(viewReceived), pagination: page.pagination };
}

function readPlace(sort: ReceivedFilter["sort"], cursor: string | undefined): Place | null {
	if (sort === "time") {
		const place = decodeCursor(cursor, timeCursor);
		return place === null ? null : { score: 0, id: place[0] };
	}
	const place = decodeCursor(cursor, scoreCursor);
	return place === null ? null : { score: place[0], id: place[1] };
}

function placeOf(row: ReceivedRow): Place {
	return { score: row.evaluated ? (row.finalScore ?? UNSCORED) : UNSCORED, id: row.id };
}

const EXPORT_PAGE = 1_000;
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
	const readAfter = (after: Place | null) => readPage(ctx, taskId, { status, sort, after, limit: EXPORT_PAGE });
	const first = await readAfter(null);
	return new Response(streamText(csvLines(first, readAfter)), {
		headers: {
			"Content-Type": "text/csv; charset=utf-8; header=present",
			"Content-Disposition": `attachment; filename="task-${taskId}-submissions.csv"`,
			Vary: "Accept",
		},
	});
}

async function* csvLines(first: ReceivedRow[], readAfter: (place: Place) => Promise<ReceivedRow[]>): AsyncGenerator<string, void> {
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

function csvCells(row: ReceivedRow): (string | number | boolean | null)[] {
	const { evaluation_results: scores, ...seen } = viewReceived(row);
	const container = row.evaluated ? row.containerScore : null;
	return [
		...[seen.id, seen.agent_id, seen.agent_display_name, seen.status, seen.evaluated],
		...[scores.final_score, scores.test_score, scores.llm_score, container, seen.created_at],
	];
}
