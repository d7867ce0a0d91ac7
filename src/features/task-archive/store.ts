import { and, asc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { archiveKeyOf, selectMovingRows } from "../../db/archived.ts";
import { taskArchives } from "../../db/schema/archives.ts";
import { tasks } from "../../db/schema/tasks.ts";
import { ROUND_STATUSES } from "../../domain/evaluation-rounds.ts";
import { SUBMISSION_STATUSES } from "../../domain/submission-status.ts";
import { TASK_STATUSES } from "../../domain/task-status.ts";
import type { BoundRead } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { rawRow } from "./rules.ts";

/** Closed tasks on which nothing has moved since `before`, each with the place where its archive goes on. */
export async function selectQuietTasks(deps: Deps, { before, limit }: { before: number; limit: number }) {
	const parts = sql`from task_archives as a where a.task_id = ${tasks.id}`;
	const broughtBack = sql<string | null>`(select min(a.last_id) ${parts} and a.key is null)`;
	return deps.db.query
		.select({
			id: tasks.id,
			quietSince: tasks.quietSince,
			// A part whose rows are back in D1 is written again, from the part before it to its own end.
			until: broughtBack.as("until"),
			after: sql<string>`coalesce((select max(a.last_id) ${parts} and a.last_id < coalesce(${broughtBack}, '~')), '')`.as("after"),
		})
		.from(tasks)
		.where(and(sql`quiet_since is not null`, sql`${tasks.quietSince} <= ${before}`))
		.orderBy(asc(tasks.quietSince))
		.limit(limit);
}

export type QuietTask = Awaited<ReturnType<typeof selectQuietTasks>>[number];

interface Range {
	readonly taskId: string;
	/** Only submissions with greater ids, which are newer ones. */
	readonly after: string;
	/** The last submission of the range; null for as many as the limits allow. */
	readonly until: string | null;
	readonly maxSubmissions: number;
	/** The sum over all submissions. A submission that has more is a range of its own. */
	readonly maxEvaluations: number;
}

/** The submissions of a range. One text for all reads, so that they find the same ones. */
const IDS = `(select id from (select id, sum(iteration) over (order by id) - iteration as before
	from (select id, iteration from submissions where task_id = ?1 and id > ?2 and id <= ?3 order by id limit ?4)) where before < ?5)`;

const MOVING = selectMovingRows({ taskId: "?1", ids: IDS });

/** Above every id. */
const NO_END = "~";

/** Submissions of a task, oldest first, with the rows that an archive takes and what decides whether it may. One round trip. */
export async function findRange(deps: Deps, { taskId, after, until, maxSubmissions, maxEvaluations }: Range) {
	const limits = until === null ? [maxSubmissions, maxEvaluations] : [-1, Number.MAX_SAFE_INTEGER];
	const parameters = [taskId, after, until ?? NO_END, ...limits];
	const select = <Row>(schema: z.ZodType<Row>, text: string): BoundRead<Row> => ({
		sql: text,
		parameters,
		mapRows: ({ results }) => results.map((row) => schema.parse(row)),
	});
	const [[task], found, evaluations, jobs, usage, changes] = await deps.db.read(
		select(
			rangeTask,
			`select status, round_status as roundStatus, exists (select 1 from evaluation_jobs where finished_at is null and submission_id in ${IDS})
				as hasUnfinishedJob, exists (select 1 from submissions where task_id = ?1 and id > (select max(id) from ${IDS})) as hasMore
				from tasks where id = ?1`,
		),
		select(rangeSubmission, `select id, status, revision, updated_at as updatedAt from submissions where id in ${IDS} order by id`),
		select(rawRow, MOVING.evaluations),
		select(rawRow, MOVING.evaluation_jobs),
		select(rawRow, MOVING.judge_usage),
		select(rawRow, MOVING.state_changes),
	);
	const rows = { evaluations, evaluation_jobs: jobs, judge_usage: usage, state_changes: changes };
	return task === undefined ? null : { ...task, submissions: found, rows };
}

const rangeTask = z.object({
	status: z.enum(TASK_STATUSES),
	roundStatus: z.enum(ROUND_STATUSES).nullable(),
	hasUnfinishedJob: z.number().transform(Boolean),
	hasMore: z.number().transform(Boolean),
});

const rangeSubmission = z.object({ id: z.string(), status: z.enum(SUBMISSION_STATUSES), revision: z.number(), updatedAt: z.number() });

/** Has the sweep look at a task again when nothing has moved for long enough, counted from `quietSince`. */
export async function savePostponement(deps: Deps, { id, quietSince }: QuietTask, later: number): Promise<void> {
	await deps.db.query
		.update(tasks)
		.set({ quietSince: later })
		.where(and(eq(tasks.id, id), sql`${tasks.quietSince} is ${quietSince}`));
}

export interface ArchivedPart {
	readonly taskId: string;
	readonly lastId: string;
	readonly key: string;
}

/** The part with a submission's rows; null while they are in D1. */
export async function findPart(deps: Deps, submissionId: string): Promise<ArchivedPart | null> {
	const [row] = await deps.db.query.all<{ taskId: string; lastId: string; key: string | null }>(sql`
		select a.task_id as "taskId", a.last_id as "lastId", a.key as key from submissions s join task_archives a on a.task_id = s.task_id
			and a.last_id >= s.id where s.id = ${submissionId} order by a.last_id limit 1`);
	return row === undefined || row.key === null ? null : { ...row, key: row.key };
}

/** Some of the parts with rows of an agent's submissions. */
export async function selectPartsOfAgent(deps: Deps, agentId: string, limit: number): Promise<ArchivedPart[]> {
	return deps.db.query.all<ArchivedPart>(sql`
		select distinct a.task_id as "taskId", a.last_id as "lastId", a.key as key from submissions s
		join task_archives a on a.task_id = s.task_id
			and a.last_id = (select min(b.last_id) from task_archives b where b.task_id = s.task_id and b.last_id >= s.id)
		where s.agent_id = ${agentId} and a.key is not null limit ${limit}`);
}

/** The archived submissions of an agent, each with the key of its part. */
export async function selectArchivedOfAgent(deps: Deps, agentId: string, limit: number) {
	return deps.db.query.all<{ id: string; key: string }>(sql`
		select id, key from (select s.id, ${archiveKeyOf(sql`s.task_id`, sql`s.id`)} as key from submissions s where s.agent_id = ${agentId})
		where key is not null order by id limit ${limit}`);
}

/** Whether a part still is where it was. */
export async function isStoredAt(deps: Deps, { taskId, lastId, key }: ArchivedPart): Promise<boolean> {
	const isPart = and(eq(taskArchives.taskId, taskId), eq(taskArchives.lastId, lastId), eq(taskArchives.key, key));
	return (await deps.db.query.select({ key: taskArchives.key }).from(taskArchives).where(isPart)).length > 0;
}

/** The keys of those objects that no part refers to. */
export async function selectUnreferenced(deps: Deps, objects: readonly ArchivedPart[]): Promise<string[]> {
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select value->>'key' as key from json_each(${JSON.stringify(objects)})
		where not exists (select 1 from task_archives where task_id = value->>'taskId' and last_id = value->>'lastId' and key = value->>'key')`);
	return rows.map(({ key }) => key);
}
