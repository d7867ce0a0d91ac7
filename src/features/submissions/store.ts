import { and, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { changesAfter, KEPT_CHANGES, lastChange, parseChanges, submissionState } from "../../db/changes.ts";
import { queueAgeMs, selectOldestWaiting } from "../../db/judging-jobs.ts";
import { prepareRead } from "../../db/prepared.ts";
import { rankOf } from "../../db/ranks.ts";
import { stateChanges } from "../../db/schema/changes.ts";
import { idempotencyKeys, shownScore, submissions, UNSCORED } from "../../db/schema/submissions.ts";
import { taskEntries, tasks } from "../../db/schema/tasks.ts";
import { selectTaskAccess } from "../../db/task-reads.ts";
import type { Deps } from "../../ports/deps.ts";

export type SubmissionRow = typeof submissions.$inferSelect;
export type NewSubmission = typeof submissions.$inferInsert;

interface SubmitKey {
	readonly taskId: string;
	readonly agentId: string;
	readonly idempotencyKey: string | null;
	readonly now: number;
}

/** What decides about a new submission, in one round trip: the task, the used slots, the response to an earlier request with the same key, and how long evaluations wait. */
export async function findSubmitState(deps: Deps, { taskId, agentId, idempotencyKey, now }: SubmitKey) {
	const [[task], [entry], [replay], [oldest]] = await deps.db.query.batch([
		deps.db.query.select().from(tasks).where(eq(tasks.id, taskId)),
		deps.db.query
			.select({ quotaUsed: taskEntries.quotaUsed })
			.from(taskEntries)
			.where(and(eq(taskEntries.taskId, taskId), eq(taskEntries.agentId, agentId))),
		deps.db.query
			.select()
			.from(idempotencyKeys)
			.where(
				and(
					eq(idempotencyKeys.agentId, agentId),
					eq(idempotencyKeys.taskId, taskId),
					eq(idempotencyKeys.key, idempotencyKey ?? ""),
					gt(idempotencyKeys.expiresAt, now),
				),
			),
		selectOldestWaiting(deps.db.query, now),
	]);
	if (task === undefined) return null;
	return { task, quotaUsed: entry?.quotaUsed ?? 0, replay: replay ?? null, queueAgeMs: queueAgeMs(oldest?.since ?? null, now) };
}

/** The columns that views show. Other columns of the same query must have other names. */
const viewedColumns = {
	id: submissions.id,
	taskId: submissions.taskId,
	agentId: submissions.agentId,
	status: submissions.status,
	evaluated: submissions.evaluated,
	agentDisplayName: submissions.agentDisplayName,
	missingSections: submissions.missingSections,
	errorMessage: submissions.errorMessage,
	ownerErrorMessage: submissions.ownerErrorMessage,
	finalScore: submissions.finalScore,
	testScore: submissions.testScore,
	llmScore: submissions.llmScore,
	containerScore: submissions.containerScore,
	evaluatedAt: submissions.evaluatedAt,
	reportKey: submissions.reportKey,
	iteration: submissions.iteration,
	voidedAt: submissions.voidedAt,
	voidReason: submissions.voidReason,
	createdAt: submissions.createdAt,
};

export type SubmissionColumns = Pick<SubmissionRow, keyof typeof viewedColumns>;

/**
 * A submission with what its views show besides: the task's poster and mode, the agent's rank and used slots, the number
 * of its last change and, unless `after` is null, its changes since. One statement, so they belong together.
 */
export async function findSubmission(deps: Deps, submissionId: string, after: number | null = null) {
	const [row] =
		after === null ? (await deps.db.read(readShown({ submissionId })))[0] : await selectShown(deps.db.query, sql`${submissionId}`, after);
	return row === undefined ? null : { ...row, changes: parseChanges(row.changes, submissionState) };
}

const readShown = prepareRead((query) => selectShown(query, sql`${sql.placeholder("submissionId")}`, null));

function selectShown(query: Deps["db"]["query"], submissionId: SQL, after: number | null) {
	return query
		.select({
			...viewedColumns,
			artifactKey: submissions.artifactKey,
			artifactBytes: submissions.artifactBytes,
			artifactSha256: submissions.artifactSha256,
			failure: submissions.failure,
			waitingFor: sql<string | null>`(
				select waiting_for from evaluation_jobs where submission_id = ${submissions.id} and finished_at is null)`.as("waiting_for"),
			companyId: tasks.companyId,
			evalMode: tasks.evalMode,
			llmWeight: tasks.llmWeight,
			deadline: tasks.deadline,
			closedBy: tasks.closedBy,
			quotaLimit: tasks.maxSubmissionsPerAgent,
			quotaUsed: taskEntries.quotaUsed,
			position: rankOf(sql`${submissions.taskId}`, sql`${submissions.agentId}`).as("position"),
			changeNumber: lastChange(submissionId).as("last_change"),
			changes: changesAfter(submissionId, after).as("changes"),
		})
		.from(submissions)
		.innerJoin(tasks, eq(tasks.id, submissions.taskId))
		.leftJoin(taskEntries, and(eq(taskEntries.taskId, submissions.taskId), eq(taskEntries.agentId, submissions.agentId)))
		.where(eq(submissions.id, submissionId));
}

/** The numbers of the last changes after one of them, oldest first. */
export async function selectChangeNumbers(deps: Deps, submissionId: string, after: number): Promise<number[]> {
	const rows = await deps.db.query
		.select({ number: stateChanges.number })
		.from(stateChanges)
		.where(and(eq(stateChanges.subjectId, submissionId), gt(stateChanges.number, after)))
		.orderBy(desc(stateChanges.number))
		.limit(KEPT_CHANGES);
	return rows.map(({ number }) => number).reverse();
}

export type ShownSubmission = NonNullable<Awaited<ReturnType<typeof findSubmission>>>;

export interface SubmissionState {
	readonly submission: SubmissionRow;
	readonly task: typeof tasks.$inferSelect;
}

/** What changes of a submission depend on, in one round trip. */
export async function findSubmissionState(deps: Deps, submissionId: string): Promise<SubmissionState | null> {
	const [[submission], [task]] = await deps.db.query.batch([
		deps.db.query.select().from(submissions).where(eq(submissions.id, submissionId)),
		deps.db.query
			.select()
			.from(tasks)
			.where(eq(tasks.id, sql`(select task_id from submissions where id = ${submissionId})`)),
	]);
	return submission === undefined || task === undefined ? null : { submission, task };
}

/** The deadline of a submission's task, in milliseconds since the epoch; null without such a submission. */
export async function findDeadline(deps: Deps, submissionId: string): Promise<number | null> {
	const [row] = await deps.db.query
		.select({ deadline: tasks.deadline })
		.from(submissions)
		.innerJoin(tasks, eq(tasks.id, submissions.taskId))
		.where(eq(submissions.id, submissionId));
	return row?.deadline ?? null;
}

/** What reading the files of an artifact depends on; null without such a submission. */
export async function findArtifactState(deps: Deps, submissionId: string) {
	const [row] = await deps.db.query
		.select({
			agentId: submissions.agentId,
			companyId: tasks.companyId,
			artifactKey: submissions.artifactKey,
			reportKey: submissions.reportKey,
			evalMode: tasks.evalMode,
		})
		.from(submissions)
		.innerJoin(tasks, eq(tasks.id, submissions.taskId))
		.where(eq(submissions.id, submissionId));
	return row ?? null;
}

interface OwnPage {
	readonly agentId: string;
	readonly taskId?: string | undefined;
	/** Rows with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

/** A page of an agent's submissions, newest first. */
export async function selectByAgent(deps: Deps, { agentId, taskId, before, limit }: OwnPage) {
	const ofTask = taskId === undefined ? undefined : eq(submissions.taskId, taskId);
	const isOlder = before === null ? undefined : lt(submissions.id, before);
	return deps.db.query
		.select({ ...viewedColumns, evalMode: tasks.evalMode })
		.from(submissions)
		.innerJoin(tasks, eq(tasks.id, submissions.taskId))
		.where(and(eq(submissions.agentId, agentId), ofTask, isOlder))
		.orderBy(desc(submissions.id))
		.limit(limit);
}

/** The last submission of a page, in the order of score and id. */
export interface ReceivedPlace {
	readonly score: number;
	readonly id: string;
}

interface ReceivedPage {
	readonly taskId: string;
	readonly status?: SubmissionRow["status"] | undefined;
	readonly sort: "time" | "score";
	readonly after: ReceivedPlace | null;
	readonly limit: number;
}

/** A page of what a task has received, newest or best first, with what decides whether the caller may see it. */
export async function findReceived(deps: Deps, { taskId, status, sort, after, limit }: ReceivedPage) {
	const select = (place: SQL | undefined) =>
		deps.db.query
			.select(viewedColumns)
			.from(submissions)
			.where(and(eq(submissions.taskId, taskId), place));
	const task = selectTaskAccess(deps.db.query, taskId);
	const isOlder = after === null ? undefined : lt(submissions.id, after.id);
	// Only completed submissions have a score, so a list of another status is sorted by time.
	if (sort === "time" || (status !== undefined && status !== "completed")) {
		const ofStatus = status === undefined ? undefined : eq(submissions.status, status);
		const [[found], rows] = await deps.db.query.batch([task, select(and(ofStatus, isOlder)).orderBy(desc(submissions.id)).limit(limit)]);
		return { task: found ?? null, rows };
	}
	const isWanted = status === undefined ? undefined : sql`${shownScore} > ${UNSCORED}`;
	// An index over an expression does not serve a comparison of pairs, so the rows with an equal score are read separately.
	const [[found], equal, lower] = await deps.db.query.batch([
		task,
		select(after === null ? sql`false` : and(sql`${shownScore} = ${after.score}`, isWanted, isOlder))
			.orderBy(desc(submissions.id))
			.limit(limit),
		select(after === null ? isWanted : and(sql`${shownScore} < ${after.score}`, isWanted))
			.orderBy(desc(shownScore), desc(submissions.id))
			.limit(limit),
	]);
	return { task: found ?? null, rows: [...equal, ...lower].slice(0, limit) };
}

export type ReceivedRow = Awaited<ReturnType<typeof findReceived>>["rows"][number];

interface ExportPage {
	readonly taskId: string;
	/** Rows with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

/** A page of all that a task has received, newest first. */
export async function selectForExport(deps: Deps, { taskId, before, limit }: ExportPage) {
	return deps.db.query
		.select({ ...viewedColumns, artifactSha256: submissions.artifactSha256 })
		.from(submissions)
		.where(and(eq(submissions.taskId, taskId), before === null ? undefined : lt(submissions.id, before)))
		.orderBy(desc(submissions.id))
		.limit(limit);
}

export type ExportedRow = Awaited<ReturnType<typeof selectForExport>>[number];

/** The keys of those objects that their submission does not refer to. */
export async function selectUnreferencedArtifacts(
	deps: Deps,
	objects: readonly { readonly key: string; readonly submissionId: string }[],
): Promise<string[]> {
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select value->>'key' as key from json_each(${JSON.stringify(objects)})
		where not exists (select 1 from submissions where id = value->>'submissionId' and artifact_key = value->>'key')`);
	return rows.map(({ key }) => key);
}
