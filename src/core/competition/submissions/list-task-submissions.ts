import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { isNotCompleted, type SubmissionRow, submissions } from "../../../db/task/schema/submissions.ts";
import { AT, FINAL_SCORE, ID } from "../../../domain/example-story.ts";
import { SUBMISSION_STATUSES } from "../../../domain/submission-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, repeatable, score, uuid } from "../../../http/fields.ts";
import { prefersCsv } from "../../../http/negotiation.ts";
import { decodeCursor, pageOf, pageQuery, viewPage } from "../../../http/pagination.ts";
import { streamText } from "../../../http/stream-text.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { isScoredByImage } from "../judgements/report.ts";
import { isSealedFor } from "../tasks/rules.ts";
import { readOwnTask } from "../tasks/store.ts";
import { formatCsvRow } from "./csv.ts";
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
		"For the task's owner. With `Accept: text/csv`, returns all results as CSV with a header line instead of a page; limit and cursor then have no effect.",
	page: "quickstart/posters",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({
		status: status.optional().describe("Only submissions with this status."),
		agent_id: uuid.optional().describe("Only submissions of this agent."),
		submission_id: repeatable(uuid, "Only these submissions. Repeat the parameter for several, at most 50."),
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
		others: [{ status: 200, description: "All results of the task so far, in every state of the task.", contentType: "text/csv" }],
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
		const wanted = { by: ctx.actor.agentId, ...order, after: readPosition(order.sort, cursor), limit: limit + 1, withCriteria: true };
		const rows = await listReceivedSubmissions(ctx, taskId, wanted);
		const cursorOf = (last: ReceivedRow) => (order.sort === "time" ? [last.id] : [positionOf(last).score, last.id]);
		return viewPage(rows, limit, { view: viewWithCriteria, cursorOf });
	},
});

function viewWithCriteria(row: ReceivedRow) {
	const criteria = row.evaluated ? row.dimensions : [];
	return { ...viewReceived(row), criteria: criteria.map(({ criterion, score: points }) => ({ criterion_name: criterion, score: points })) };
}

interface ReceivedOrder {
	readonly status?: SubmissionRow["status"] | undefined;
	readonly agent_id?: string | undefined;
	/** Limits the list to submissions with these ids. */
	readonly submission_id?: readonly string[] | undefined;
	readonly sort: "time" | "score";
}

/** The last submission of the previous page: its score and id. */
interface Position {
	readonly score: number;
	readonly id: string;
}

interface ReceivedPage extends ReceivedOrder {
	readonly after: Position | null;
	readonly limit: number;
	/** True to read the scores of criteria too. The export does not need them. */
	readonly withCriteria: boolean;
}

/** Replaces a missing score when sorting. Below every real score. */
const UNSCORED = -1;

const timeCursor = z.tuple([uuid]);
const scoreCursor = z.tuple([z.number(), uuid]);

function readPosition(sort: ReceivedOrder["sort"], cursor: string | undefined): Position | null {
	const [score, id] = sort === "score" ? (decodeCursor(cursor, scoreCursor) ?? []) : [0, ...(decodeCursor(cursor, timeCursor) ?? [])];
	return score === undefined || id === undefined ? null : { score, id };
}

function positionOf(row: ReceivedRow): Position {
	return { score: row.evaluated ? (row.finalScore ?? UNSCORED) : UNSCORED, id: row.id };
}

const CSV_PAGE_ROWS = 1_000;

/** Reads and sends all results of a task so far, page by page. */
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

type ReceivedRow = ReturnType<(typeof listReceivedSubmissions)["run"]>[number];

/** Reads a page for the task's owner, newest or best first. */
const listReceivedSubmissions = taskVerb("listReceivedSubmissions", (task, { by, ...page }: ReceivedPage & { by: string }) => {
	const own = readOwnTask(task, by);
	const isShown = ({ agentId }: SubmissionListRow) =>
		!(isScoredByImage(own.evalMode) && isSealedFor(own, { readerId: by, authorId: agentId }));
	const { status, sort, after, limit } = page;
	const isOlder = after === null ? undefined : lt(submissions.id, after.id);
	const withTask = (rows: readonly SubmissionListRow[]) => {
		const dimensions = page.withCriteria ? readDimensions(task, rows.filter(isShown)) : NO_DIMENSIONS;
		return rows.map((row) => ({ ...row, taskId: task.id, isTest: own.isTest, dimensions: dimensions.get(row.id) ?? [] }));
	};
	if (page.agent_id !== undefined || page.submission_id !== undefined) return withTask(selectFew(task, page));
	// Only completed submissions have a score, so a list of another status is sorted by time.
	if (sort === "time" || (status !== undefined && status !== "completed")) {
		const ofStatus = status === undefined ? undefined : hasStatus(status);
		return withTask(selectShown(task, and(ofStatus, isOlder)).orderBy(desc(submissions.id)).limit(limit).all());
	}
	const hasMoreScored = after === null || after.score > UNSCORED;
	const scored = hasMoreScored ? selectBest(task, after, limit) : [];
	const left = limit - scored.length;
	return withTask([...scored, ...(status === undefined && left > 0 ? selectUnscored(task, hasMoreScored ? null : after, left) : [])]);
});

const storedDimensions = z.array(z.object({ criterion: z.string(), weight: z.number(), score: z.number() }));
type StoredDimensions = z.infer<typeof storedDimensions>;
const NO_DIMENSIONS: ReadonlyMap<string, StoredDimensions> = new Map();

/** Reads the scores of criteria from the evaluation that each submission shows, by the submission's id. */
function readDimensions({ db }: TaskStore, rows: readonly SubmissionListRow[]): ReadonlyMap<string, StoredDimensions> {
	const pairs = rows.flatMap(({ id, evaluated, shownEvaluationId }) =>
		evaluated && shownEvaluationId !== null ? [[id, shownEvaluationId]] : [],
	);
	// A submission has few evaluations, mostly one, so the primary key is a sufficient index.
	const evaluations = db.all<{ id: string; dimensions: string | null }>(sql`
		select pair.value->>0 as "id", (select e.dimensions from evaluations e
			where e.submission_id = pair.value->>0 and e.id = pair.value->>1 order by e.iteration limit 1) as "dimensions"
		from json_each(${JSON.stringify(pairs)}) as pair`);
	return new Map(evaluations.map(({ id, dimensions }) => [id, storedDimensions.parse(JSON.parse(dimensions ?? "[]"))]));
}

function selectShown({ db }: TaskStore, condition: SQL | undefined) {
	const { id, agentId, agentDisplayName, waitingFor, createdAt, shownEvaluationId } = submissions;
	const { evaluated, evaluatedAt, finalScore, testScore, llmScore, containerScore } = submissions;
	const scores = { finalScore, testScore, llmScore, containerScore, evaluatedAt };
	return db
		.select({ id, agentId, agentDisplayName, status: submissions.status, evaluated, waitingFor, ...scores, createdAt, shownEvaluationId })
		.from(submissions)
		.where(condition);
}

type SubmissionListRow = ReturnType<ReturnType<typeof selectShown>["all"]>[number];

/** Selects submissions by id or by agent. There are few, so they are sorted in memory. */
function selectFew(
	task: TaskStore,
	{ status, agent_id: agentId, submission_id: ids, sort, after, limit }: ReceivedPage,
): SubmissionListRow[] {
	const ofStatus = status === undefined ? undefined : hasStatus(status);
	const ofAgent = agentId === undefined ? undefined : eq(submissions.agentId, agentId);
	const named = ids === undefined ? undefined : inArray(submissions.id, [...ids]);
	const scoreOf = ({ evaluated, finalScore }: SubmissionListRow) => (sort === "score" && evaluated ? (finalScore ?? UNSCORED) : UNSCORED);
	const compare = (a: Position, b: Position) => b.score - a.score || (a.id < b.id ? 1 : -1);
	const start = after === null || sort === "score" ? after : { score: UNSCORED, id: after.id };
	return selectShown(task, and(ofStatus, ofAgent, named))
		.all()
		.map((row) => ({ row, score: scoreOf(row), id: row.id }))
		.filter((row) => start === null || (row.id !== start.id && compare(start, row) < 0))
		.toSorted(compare)
		.slice(0, limit)
		.map(({ row }) => row);
}

function hasStatus(wanted: SubmissionRow["status"]): SQL | undefined {
	return and(eq(submissions.status, wanted), wanted === "completed" ? undefined : isNotCompleted);
}

/** Selects the best first, with the index on scores. */
function selectBest(task: TaskStore, after: Position | null, limit: number): SubmissionListRow[] {
	const isLower = after === null ? undefined : sql`(${submissions.finalScore}, ${submissions.id}) < (${after.score}, ${after.id})`;
	return selectShown(task, and(sql`evaluated = 1`, isLower)).orderBy(desc(submissions.finalScore), desc(submissions.id)).limit(limit).all();
}

/** Selects the newest first. The index has this order within each state. SQLite merges the states and stops when the page is full. */
function selectUnscored(task: TaskStore, after: Position | null, limit: number): SubmissionListRow[] {
	const isOlder = after === null ? undefined : lt(submissions.id, after.id);
	const unscored = SUBMISSION_STATUSES.filter((one) => one !== "completed");
	const [first, second, ...others] = unscored.map((one) => selectShown(task, and(hasStatus(one), isOlder)));
	if (first === undefined || second === undefined) return [];
	return unionAll(first, second, ...others)
		.orderBy(desc(submissions.id))
		.limit(limit)
		.all();
}
