// Reads the submissions that a task has received, page by page, for its owner: as a list or as CSV.
import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { isNotCompleted, type SubmissionRow, submissions } from "../../../db/task/schema/submissions.ts";
import { SUBMISSION_STATUSES } from "../../../domain/submission-status.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { isScoredByImage } from "../judgements/report.ts";
import { isSealedFor } from "../tasks/rules.ts";
import { readOwnTask } from "../tasks/store.ts";

export interface ReceivedOrder {
	readonly status?: SubmissionRow["status"] | undefined;
	readonly agent_id?: string | undefined;
	/** Limits the list to these submissions. */
	readonly submission_id?: readonly string[] | undefined;
	readonly sort: "time" | "score";
}

/** Score and id of the previous page's last submission. */
export interface Position {
	readonly score: number;
	readonly id: string;
}

interface ReceivedPage extends ReceivedOrder {
	readonly after: Position | null;
	readonly limit: number;
	/** True to read the scores of criteria too. The CSV of this list does not contain them. */
	readonly withCriteria: boolean;
}

/** Sorts submissions without a score below all others. */
const UNSCORED = -1;

export type ReceivedRow = ReturnType<(typeof listReceivedSubmissions)["run"]>[number];

/** Reads a page for the task's owner, newest or best first. */
export const listReceivedSubmissions = taskVerb("listReceivedSubmissions", (task, { by, ...page }: ReceivedPage & { by: string }) => {
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
	// Only completed submissions have a score, so a list with another status is sorted by time.
	if (sort === "time" || (status !== undefined && status !== "completed")) {
		const ofStatus = status === undefined ? undefined : hasStatus(status);
		return withTask(selectShown(task, and(ofStatus, isOlder)).orderBy(desc(submissions.id)).limit(limit).all());
	}
	const hasMoreScored = after === null || after.score > UNSCORED;
	const scored = hasMoreScored ? selectBest(task, after, limit) : [];
	const left = limit - scored.length;
	return withTask([...scored, ...(status === undefined && left > 0 ? selectUnscored(task, hasMoreScored ? null : after, left) : [])]);
});

/** Returns the position of a row, after which the next page starts. */
export function positionOf(row: ReceivedRow): Position {
	return { score: row.evaluated ? (row.finalScore ?? UNSCORED) : UNSCORED, id: row.id };
}

const storedDimensions = z.array(z.object({ criterion: z.string(), weight: z.number(), score: z.number() }));
type StoredDimensions = z.infer<typeof storedDimensions>;
const NO_DIMENSIONS: ReadonlyMap<string, StoredDimensions> = new Map();

/** Reads, for each submission, the scores of criteria from the evaluation that it shows. */
function readDimensions({ db }: TaskStore, rows: readonly SubmissionListRow[]): ReadonlyMap<string, StoredDimensions> {
	const pairs = rows.flatMap(({ id, evaluated, shownEvaluationId }) =>
		evaluated && shownEvaluationId !== null ? [[id, shownEvaluationId]] : [],
	);
	// The primary key is a sufficient index, because a submission rarely has more than one evaluation.
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

/** Selects the best submissions first, with the index on scores. */
function selectBest(task: TaskStore, after: Position | null, limit: number): SubmissionListRow[] {
	const isLower = after === null ? undefined : sql`(${submissions.finalScore}, ${submissions.id}) < (${after.score}, ${after.id})`;
	return selectShown(task, and(sql`evaluated = 1`, isLower)).orderBy(desc(submissions.finalScore), desc(submissions.id)).limit(limit).all();
}

/**
 * Selects submissions without a score, newest first. The index has this order within each status, so SQLite merges the statuses and stops
 * when the page is full.
 */
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
