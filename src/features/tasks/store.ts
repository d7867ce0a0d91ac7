import { and, asc, desc, eq, gt, lt, max, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { changesAfter, lastChange, parseChanges, taskState } from "../../db/changes.ts";
import { prepareRead } from "../../db/prepared.ts";
import { openings } from "../../db/schema/changes.ts";
import { hasRunningSubmission } from "../../db/schema/submissions.ts";
import { type criteria, isListed, taskEntries, tasks, taskWarnings } from "../../db/schema/tasks.ts";
import { taskJudgeUsage } from "../../db/schema/usage.ts";
import { listedTaskColumns, readCriteria, readJudgeCheck } from "../../db/task-reads.ts";
import { isOver, isOverSql } from "../../domain/deadline.ts";
import type { TaskWarning } from "../../domain/task-warnings.ts";
import type { Deps } from "../../ports/deps.ts";
import type { CheckedCase } from "../competition/judge-check/rules.ts";
import { AFTER_ALL_IDS } from "../competition/tasks/rules.ts";

export type TaskRow = typeof tasks.$inferSelect;
export type CriterionRow = typeof criteria.$inferSelect;
export type NewTask = typeof tasks.$inferInsert;

export interface TaskWithRubric {
	readonly task: TaskRow;
	readonly criteria: readonly CriterionRow[];
	/** Slots that the asking agent has used. */
	readonly quotaUsed: number;
	/** The submission that the asking agent wants in the final round. */
	readonly pick: string | null;
	/** What judging its submissions has cost; null before anything has. */
	readonly judgeUsage: Omit<typeof taskJudgeUsage.$inferSelect, "taskId"> | null;
	/** The cases of its judge check; none before it is published. */
	readonly judgeCheck: readonly CheckedCase[];
	/** For its owner. */
	readonly warnings: readonly TaskWarning[];
}

const theTask = sql.placeholder("taskId");
const readTask = prepareRead((query) =>
	query
		.select({
			task: tasks,
			entry: { quotaUsed: taskEntries.quotaUsed, pick: taskEntries.pickedId },
			judgeUsage: {
				calls: taskJudgeUsage.calls,
				inputTokens: taskJudgeUsage.inputTokens,
				outputTokens: taskJudgeUsage.outputTokens,
				costMicroUsd: taskJudgeUsage.costMicroUsd,
			},
		})
		.from(tasks)
		.leftJoin(taskEntries, and(eq(taskEntries.taskId, tasks.id), eq(taskEntries.agentId, sql.placeholder("agentId"))))
		.leftJoin(taskJudgeUsage, eq(taskJudgeUsage.taskId, tasks.id))
		.where(eq(tasks.id, theTask)),
);
const readWarnings = prepareRead((query) =>
	query
		.select({ code: taskWarnings.code, message: taskWarnings.message })
		.from(taskWarnings)
		.where(eq(taskWarnings.taskId, theTask))
		.orderBy(asc(taskWarnings.createdAt)),
);

/** A task with its rubric and one agent's use of it, in one round trip. */
export async function findTask(deps: Deps, taskId: string, agentId: string): Promise<TaskWithRubric | null> {
	const [[found], rubric, judgeCheck, warnings] = await deps.db.read(
		readTask({ taskId, agentId }),
		readCriteria({ taskId }),
		readJudgeCheck({ taskId }),
		readWarnings({ taskId }),
	);
	if (found === undefined) return null;
	const { task, entry, judgeUsage } = found;
	return { task, criteria: rubric, quotaUsed: entry?.quotaUsed ?? 0, pick: entry?.pick ?? null, judgeUsage, judgeCheck, warnings };
}

/** Whether an agent has submitted to a task. */
export async function hasEntered(deps: Deps, taskId: string, agentId: string): Promise<boolean> {
	const rows = await deps.db.query
		.select({ agentId: taskEntries.agentId })
		.from(taskEntries)
		.where(and(eq(taskEntries.taskId, taskId), eq(taskEntries.agentId, agentId)));
	return rows.length > 0;
}

/** A task with the number of its last change and, unless `after` is null, its changes since. One statement, so they belong together. */
export async function findWatchedTask(deps: Deps, taskId: string, after: number | null) {
	const [row] = await deps.db.query
		.select({
			task: tasks,
			number: lastChange(sql`${taskId}`).as("last_change"),
			changes: changesAfter(sql`${taskId}`, after).as("changes"),
		})
		.from(tasks)
		.where(eq(tasks.id, taskId));
	return row === undefined ? null : { ...row, changes: parseChanges(row.changes, taskState) };
}

/** Tasks in the order of their publication, after opening `after`; none of them where that is null. */
export async function selectOpenings(deps: Deps, { after, limit }: { after: number | null; limit: number }) {
	const [[last], rows] = await deps.db.query.batch([
		deps.db.query.select({ number: max(openings.number).as("last_number") }).from(openings),
		deps.db.query
			.select({ number: openings.number, task: tasks })
			.from(openings)
			.innerJoin(tasks, eq(tasks.id, openings.taskId))
			.where(after === null ? sql`0` : gt(openings.number, after))
			.orderBy(openings.number)
			.limit(limit),
	]);
	return { head: last?.number ?? 0, rows };
}

export async function findTestSuiteKey(deps: Deps, taskId: string): Promise<string | null> {
	const [row] = await deps.db.query.select({ key: tasks.testSuiteKey }).from(tasks).where(eq(tasks.id, taskId));
	return row?.key ?? null;
}

/** Those of the keys that no task refers to. */
export async function selectUnreferencedTestSuites(deps: Deps, keys: readonly string[]): Promise<string[]> {
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select value as key from json_each(${JSON.stringify(keys)})
		where not exists (select 1 from tasks where test_suite_key = value)`);
	return rows.map(({ key }) => key);
}

/** What an automatic change of status depends on. */
export async function findSettling(deps: Deps, taskId: string) {
	const [row] = await deps.db.query
		.select({
			id: tasks.id,
			status: tasks.status,
			deadline: tasks.deadline,
			revision: tasks.revision,
			finalRound: tasks.finalRound,
			roundStatus: tasks.roundStatus,
			hasRunning: sql<number>`${hasRunningSubmission(taskId)}`.as("has_running"),
		})
		.from(tasks)
		.where(eq(tasks.id, taskId));
	return row === undefined ? null : { ...row, hasRunning: row.hasRunning === 1 };
}

/** Ids of tasks whose deadline has passed and that are not closed yet, oldest deadline first. */
export async function selectUnsettled(deps: Deps, { now, limit }: { now: number; limit: number }): Promise<string[]> {
	const rows = await deps.db.query
		.select({ id: tasks.id })
		.from(tasks)
		.where(and(sql`status in ('open','evaluating')`, isOverSql(tasks.deadline, now)))
		.orderBy(asc(tasks.deadline))
		.limit(limit);
	return rows.map((row) => row.id);
}

export interface OpenTaskFilter {
	readonly category?: string | undefined;
	readonly evalMode?: TaskRow["evalMode"] | undefined;
	/** In cents. */
	readonly minBudgetCents?: number | undefined;
	/** Tasks after this place in the order of deadline and id; the empty id is before every id. */
	readonly after: { readonly deadline: number; readonly id: string } | null;
	readonly limit: number;
	readonly now: number;
}

/** The literal status lets SQLite use the partial indexes. */
function prepareOpenTasks(...filters: readonly SQL[]) {
	const hasBudget = sql`${tasks.budgetCents} >= ${sql.placeholder("minBudgetCents")}`;
	const start = sql`(${sql.placeholder("deadline")}, ${sql.placeholder("id")})`;
	return prepareRead((query) =>
		query
			.select(listedTaskColumns)
			.from(tasks)
			.where(and(isListed, sql`(${tasks.deadline}, ${tasks.id}) > ${start}`, hasBudget, ...filters))
			.orderBy(asc(tasks.deadline), asc(tasks.id))
			.limit(sql.placeholder("limit")),
	);
}

const ofCategory = eq(tasks.category, sql.placeholder("category"));
const ofMode = eq(tasks.evalMode, sql.placeholder("evalMode"));
const readOpenTasks = {
	all: prepareOpenTasks(),
	ofCategory: prepareOpenTasks(ofCategory),
	ofMode: prepareOpenTasks(ofMode),
	ofBoth: prepareOpenTasks(ofCategory, ofMode),
};

/** Open tasks whose deadline is ahead, soonest first. */
export async function selectOpenTasks(deps: Deps, { category, evalMode, minBudgetCents = 0, after, limit, now }: OpenTaskFilter) {
	const start = after === null || isOver(after, now) ? { deadline: now, id: AFTER_ALL_IDS } : after;
	const kind = category === undefined ? (evalMode === undefined ? "all" : "ofMode") : evalMode === undefined ? "ofCategory" : "ofBoth";
	const [rows] = await deps.db.read(
		readOpenTasks[kind]({ ...start, limit, minBudgetCents, category: category ?? "", evalMode: evalMode ?? "" }),
	);
	return rows;
}

interface OwnTasksPage {
	readonly ownerId: string;
	/** Null for every status. */
	readonly statuses: readonly TaskRow["status"][] | null;
	/** Tasks with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

/** An owner's tasks, newest first. An index serves each status in order, and SQLite merges several as far as the page needs. */
export async function selectOwnTasks(deps: Deps, { ownerId, statuses, before, limit }: OwnTasksPage) {
	const selectOf = (status: TaskRow["status"] | null) =>
		deps.db.query
			.select({ ...listedTaskColumns, submissionCount: tasks.submissionCount })
			.from(tasks)
			.where(
				and(
					eq(tasks.companyId, ownerId),
					status === null ? undefined : eq(tasks.status, status),
					before === null ? undefined : lt(tasks.id, before),
				),
			);
	const [first = null, second, ...others] = statuses ?? [];
	if (second === undefined) return selectOf(first).orderBy(desc(tasks.id)).limit(limit);
	return unionAll(selectOf(first), selectOf(second), ...others.map(selectOf))
		.orderBy(desc(tasks.id))
		.limit(limit);
}
