import { and, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { changesAfter, KEPT_CHANGES, lastChange, parseChanges, submissionState } from "../../db/changes.ts";
import { guard } from "../../db/commit.ts";
import { prepareRead } from "../../db/prepared.ts";
import { rankOf } from "../../db/ranks.ts";
import { stateChanges } from "../../db/schema/changes.ts";
import { idempotencyKeys, shownScore, submissions, sweepCursors } from "../../db/schema/submissions.ts";
import { taskEntries, tasks } from "../../db/schema/tasks.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export type SubmissionRow = typeof submissions.$inferSelect;
export type NewSubmission = typeof submissions.$inferInsert;

interface SubmitKey {
	readonly taskId: string;
	readonly agentId: string;
	readonly idempotencyKey: string | null;
	readonly now: number;
}

/** What a submission depends on, in one round trip: the task, the agent's used slots, and an earlier call of the same key. */
export async function findSubmitState(deps: Deps, { taskId, agentId, idempotencyKey, now }: SubmitKey) {
	const [[task], [entry], [replay]] = await deps.db.query.batch([
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
	]);
	return task === undefined ? null : { task, quotaUsed: entry?.quotaUsed ?? 0, replay: replay ?? null };
}

/** Holds when the task is as it was read and still takes submissions. */
export function guardOpen(deps: Deps, task: { id: string; revision: number }, now: number): Statement {
	return guard(
		deps.db,
		sql`exists (select 1 from tasks where id = ${task.id} and revision = ${task.revision} and status = 'open' and deadline > ${now})`,
	);
}

/** Counts a submission, and a competitor with its first one; belongs in front of {@link claimSlot}. */
export function countSubmission(deps: Deps, taskId: string, agentId: string): Statement {
	const isFirst = sql`not exists (select 1 from task_entries where task_id = ${taskId} and agent_id = ${agentId})`;
	return deps.db.query
		.update(tasks)
		.set({ submissionCount: sql`${tasks.submissionCount} + 1`, competitorCount: sql`${tasks.competitorCount} + (${isFirst})` })
		.where(eq(tasks.id, taskId));
}

/** Takes a slot; the constraint `quota_within_limit` undoes the whole batch when none is left. */
export function claimSlot(deps: Deps, entry: { taskId: string; agentId: string; quotaLimit: number; now: number }): Statement {
	return deps.db.query
		.insert(taskEntries)
		.values({ taskId: entry.taskId, agentId: entry.agentId, quotaUsed: 1, quotaLimit: entry.quotaLimit, createdAt: entry.now })
		.onConflictDoUpdate({ target: [taskEntries.taskId, taskEntries.agentId], set: { quotaUsed: sql`${taskEntries.quotaUsed} + 1` } });
}

export function insertSubmission(deps: Deps, row: NewSubmission): Statement {
	return deps.db.query.insert(submissions).values(row);
}

/** Remembers an answer; an unexpired one under the same key makes the batch stale. */
export function rememberAnswer(deps: Deps, row: typeof idempotencyKeys.$inferInsert, now: number): Statement[] {
	const expired = and(
		eq(idempotencyKeys.agentId, row.agentId),
		eq(idempotencyKeys.taskId, row.taskId),
		eq(idempotencyKeys.key, row.key),
		lt(idempotencyKeys.expiresAt, now + 1),
	);
	return [deps.db.query.delete(idempotencyKeys).where(expired), deps.db.query.insert(idempotencyKeys).values(row)];
}

export function deleteExpiredAnswers(deps: Deps, { now, limit }: { now: number; limit: number }) {
	return deps.db.query.run(sql`
		delete from idempotency_keys where (agent_id, task_id, key) in
			(select agent_id, task_id, key from idempotency_keys where expires_at <= ${now} order by expires_at limit ${limit})`);
}

/** The columns that views show. Whatever is selected beside them must have other names. */
const viewedColumns = {
	id: submissions.id,
	taskId: submissions.taskId,
	agentId: submissions.agentId,
	status: submissions.status,
	evaluated: submissions.evaluated,
	agentDisplayName: submissions.agentDisplayName,
	missingSections: submissions.missingSections,
	errorMessage: submissions.errorMessage,
	finalScore: submissions.finalScore,
	testScore: submissions.testScore,
	llmScore: submissions.llmScore,
	containerScore: submissions.containerScore,
	reportKey: submissions.reportKey,
	iteration: submissions.iteration,
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
			companyId: tasks.companyId,
			evalMode: tasks.evalMode,
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

/** Holds when submission and task are as they were read. */
export function guardState(deps: Deps, { submission, task }: SubmissionState): Statement {
	return guard(
		deps.db,
		sql`exists (select 1 from submissions s join tasks t on t.id = s.task_id where s.id = ${submission.id}
			and s.revision = ${submission.revision} and t.revision = ${task.revision})`,
	);
}

/** Changes a submission and counts its revision up; {@link guardState} belongs in front of it. */
export function updateSubmission(deps: Deps, submissionId: string, change: Partial<NewSubmission>): Statement {
	return deps.db.query
		.update(submissions)
		.set({ ...change, revision: sql`${submissions.revision} + 1`, updatedAt: deps.clock.now() })
		.where(eq(submissions.id, submissionId));
}

interface PageRequest {
	/** Rows with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

export function selectByAgent(
	deps: Deps,
	{ agentId, taskId, before, limit }: PageRequest & { agentId: string; taskId?: string | undefined },
) {
	const ofAgent = eq(submissions.agentId, agentId);
	return selectPage(deps, taskId === undefined ? ofAgent : and(ofAgent, eq(submissions.taskId, taskId)), { before, limit });
}

/** Sorts below every score. */
export const UNSCORED = -1;

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
	const wanted = and(eq(submissions.taskId, taskId), status === undefined ? undefined : eq(submissions.status, status));
	const select = (place: SQL | undefined) => deps.db.query.select(viewedColumns).from(submissions).where(and(wanted, place));
	const task = deps.db.query.select({ companyId: tasks.companyId, status: tasks.status }).from(tasks).where(eq(tasks.id, taskId));
	const isOlder = after === null ? undefined : lt(submissions.id, after.id);
	if (sort === "time") {
		const [[found], rows] = await deps.db.query.batch([task, select(isOlder).orderBy(desc(submissions.id)).limit(limit)]);
		return { task: found ?? null, rows };
	}
	// An index over an expression serves equality and ranges, but no comparison of pairs: so equal scores come first, on their own.
	const [[found], equal, lower] = await deps.db.query.batch([
		task,
		select(after === null ? sql`false` : and(sql`${shownScore} = ${after.score}`, isOlder))
			.orderBy(desc(submissions.id))
			.limit(limit),
		select(after === null ? undefined : sql`${shownScore} < ${after.score}`)
			.orderBy(desc(shownScore), desc(submissions.id))
			.limit(limit),
	]);
	return { task: found ?? null, rows: [...equal, ...lower].slice(0, limit) };
}

export type ReceivedRow = Awaited<ReturnType<typeof findReceived>>["rows"][number];

function selectPage(deps: Deps, condition: SQL | undefined, { before, limit }: PageRequest) {
	return deps.db.query
		.select({ ...viewedColumns, evalMode: tasks.evalMode })
		.from(submissions)
		.innerJoin(tasks, eq(tasks.id, submissions.taskId))
		.where(and(condition, before === null ? undefined : lt(submissions.id, before)))
		.orderBy(desc(submissions.id))
		.limit(limit);
}

/** The key after which a sweep goes on; null from the start. */
export async function findSweepCursor(deps: Deps, sweep: string): Promise<string | null> {
	const [row] = await deps.db.query.select({ cursor: sweepCursors.cursor }).from(sweepCursors).where(eq(sweepCursors.sweep, sweep));
	return row?.cursor ?? null;
}

export async function saveSweepCursor(deps: Deps, sweep: string, cursor: string | null): Promise<void> {
	await deps.db.query.insert(sweepCursors).values({ sweep, cursor }).onConflictDoUpdate({ target: sweepCursors.sweep, set: { cursor } });
}

/** Those of the keys that no submission and no evaluation refers to. */
export async function selectUnreferenced(deps: Deps, keys: readonly string[]): Promise<string[]> {
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select value as key from json_each(${JSON.stringify(keys)})
		where not exists (select 1 from submissions where artifact_key = value and artifact_key is not null)
			and not exists (select 1 from evaluations where report_key = value)`);
	return rows.map((row) => row.key);
}
