import { type SQL, sql } from "drizzle-orm";
import { isTroubled } from "../../db/conditions.ts";
import { LOST_MESSAGE_MS } from "../../db/leases.ts";
import { queueAge, spendCeilings } from "../../db/schema/administration.ts";
import { DEPLOYMENT } from "../../db/schema/usage.ts";
import type { Deps } from "../../ports/deps.ts";
import type { JOB_KINDS, JOB_STATES } from "./schemas.ts";

interface JobPage {
	readonly state: (typeof JOB_STATES)[number] | null;
	/** Jobs with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
	readonly now: number;
}

export interface JobRow {
	readonly id: string;
	readonly kind: (typeof JOB_KINDS)[number];
	readonly state: (typeof JOB_STATES)[number];
	readonly submission_id: string | null;
	readonly webhook_id: string | null;
	readonly task_id: string | null;
	readonly attempts: number;
	readonly since: number;
	readonly last_error: string | null;
}

/** Whether a message or a worker was lost: the row is due for a while, or its lease has run out. */
const isLost = (now: number): SQL =>
	sql`(j.lease_expires_at <= ${now} or (j.lease_expires_at is null and j.due_at <= ${now - LOST_MESSAGE_MS}))`;

/** The jobs after a place of the list, by source. Those of the first kind have not ended. An external evaluation runs elsewhere after its request. */
function jobSources(now: number, before: string | null): { readonly unfinished: readonly SQL[]; readonly failed: readonly SQL[] } {
	const evaluation = sql`'evaluation' as kind`;
	const after = (id: SQL) => (before === null ? sql`true` : sql`${id} < ${before}`);
	return {
		unfinished: [
			sql`select j.id, ${evaluation}, (case when j.lease_expires_at > ${now} then 'running'
					when j.waiting_for is null and ${isLost(now)} then 'stuck' when j.waiting_for is null and j.progress is not null then 'running'
					else 'waiting' end) as state, j.submission_id, null as webhook_id, null as task_id, j.attempts, j.created_at as since,
					coalesce(j.waiting_for, j.last_error) as last_error
				from evaluation_jobs j indexed by evaluation_jobs_active where j.finished_at is null and ${after(sql`j.id`)}`,
			sql`select r.id, 'grader_run' as kind, (case when j.id is not null and j.finished_at is null then 'running' else 'waiting' end) as state,
					j.submission_id, null as webhook_id, null as task_id, r.run as attempts, r.created_at as since, j.last_error
				from grader_runs r left join evaluation_jobs j on j.id = r.job_id where ${after(sql`r.id`)}`,
		],
		failed: [
			sql`select j.id, ${evaluation}, 'failed' as state, j.submission_id, null as webhook_id, s.task_id, j.attempts, j.finished_at as since, j.last_error
				from evaluation_jobs j join submissions s on s.id = j.submission_id
				where j.outcome = 'failed' and s.status = 'evaluation_failed' and s.iteration = j.iteration and ${after(sql`j.id`)}`,
		],
	};
}

/**
 * A page of jobs that have not succeeded, newest first. SQLite merges the sources in the order of their ids. All jobs that have not
 * ended are read and sorted: an index in that order would cost a written row for each evaluation. Deliveries are in the objects of their webhooks.
 */
export async function selectJobs(deps: Deps, { state, before, limit, now }: JobPage): Promise<JobRow[]> {
	const { unfinished, failed } = jobSources(now, before);
	const isWanted = state === null ? sql`` : sql` and state = ${state}`;
	const wanted = unfinished.map((source) => sql`${source}${isWanted}`);
	const sources = state === "failed" ? [...failed] : [...wanted, ...(state === null ? failed : [])];
	return deps.db.query.all<JobRow>(sql`
		select id, kind, state, submission_id, webhook_id,
			coalesce(task_id, (select s.task_id from submissions s where s.id = page.submission_id)) as task_id, attempts, since, last_error
		from (${sql.join(sources, sql` union all `)} order by 1 desc limit ${limit}) as page
		order by id desc`);
}

const FAILED = sql`submission_cards where status = 'evaluation_failed'`;

/** Tasks whose objects have evaluations that have not ended, at most `limit`. */
export async function selectBusyTaskIds(deps: Deps, limit: number): Promise<string[]> {
	const rows = await deps.db.query.all<{ id: string }>(sql`
		select distinct task_id as id from submission_cards indexed by submission_cards_running where status = 'running'
		union select id from task_cards where round_status = 'judging' order by 1 desc limit ${limit}`);
	return rows.map(({ id }) => id);
}

/** The tasks of the submissions whose last evaluation failed, the newest of them before an id. */
export async function selectFailedTaskIds(deps: Deps, { before, limit }: Pick<JobPage, "before" | "limit">): Promise<string[]> {
	const isBefore = before === null ? sql`` : sql` and id < ${before}`;
	const page = sql`select task_id from ${FAILED}${isBefore} order by id desc limit ${limit}`;
	const rows = await deps.db.query.all<{ id: string }>(sql`select distinct task_id as id from (${page})`);
	return rows.map(({ id }) => id);
}

/** How long the oldest evaluation had waited when it was measured last. */
export async function findQueueAgeMs(deps: Deps): Promise<number> {
	const [row] = await deps.db.query.select({ ageMs: queueAge.ageMs }).from(queueAge);
	return row?.ageMs ?? 0;
}

export interface FoundJob {
	/** The evaluation, for a run of an image. */
	readonly id: string;
	readonly submissionId: string;
	readonly attempts: number;
	readonly dueAt: number;
	readonly outcome: string | null;
	readonly isFinished: boolean;
	readonly isLeased: boolean;
}

/** An evaluation, or the evaluation of a run. */
export async function findJob(deps: Deps, id: string): Promise<FoundJob | null> {
	const now = deps.clock.now();
	const [row] = await deps.db.query.all<Omit<FoundJob, "isFinished" | "isLeased"> & { isFinished: number; isLeased: number }>(sql`
		select id, submission_id as "submissionId", attempts, due_at as "dueAt", outcome,
			finished_at is not null as "isFinished", coalesce(lease_expires_at, 0) > ${now} as "isLeased"
		from evaluation_jobs where id = ${id} or id = (select job_id from grader_runs where id = ${id})
		limit 1`);
	return row === undefined ? null : { ...row, isFinished: row.isFinished === 1, isLeased: row.isLeased === 1 };
}

/** The ceilings that operators have changed. */
export async function selectCeilings(deps: Deps) {
	return deps.db.query.select().from(spendCeilings);
}

interface UsageRow {
	readonly inputTokens: number;
	readonly outputTokens: number;
	readonly costMicroUsd: number | null;
}

const SUMS = sql`sum(input_tokens) as "inputTokens", sum(output_tokens) as "outputTokens", sum(cost_micro_usd) as "costMicroUsd"`;
const MOST_SHOWN = 100;

/**
 * What judging has used since a day.
 *
 * @param firstId The smallest id that an evaluation of that day can have: ids grow with time, so the primary key serves as an index.
 */
export async function selectSpend(deps: Deps, { fromDay, firstId }: { fromDay: string; firstId: string }) {
	const [days, counts, tasks, posters] = await Promise.all([
		deps.db.query.all<UsageRow & { day: string }>(sql`
			select day, ${SUMS} from judge_usage_days where holder = ${DEPLOYMENT} and day >= ${fromDay} group by day`),
		deps.db.query.all<{ day: string; evaluations: number }>(sql`
			select day, sum(evaluations) as evaluations from (
				select date(created_at / 1000, 'unixepoch') as day, count(*) as evaluations from evaluations where id >= ${firstId} group by 1
				union all select date(evaluated_at / 1000, 'unixepoch'), count(*) from submission_cards
				where id >= ${firstId} and evaluated_at is not null group by 1)
			where day >= ${fromDay} group by day`),
		deps.db.query.all<UsageRow & { taskId: string }>(sql`
			select task_id as "taskId", input_tokens as "inputTokens", output_tokens as "outputTokens", cost_micro_usd as "costMicroUsd"
			from task_judge_usage order by coalesce(cost_micro_usd, 0) desc, input_tokens + output_tokens desc limit ${MOST_SHOWN}`),
		deps.db.query.all<UsageRow & { agentId: string }>(sql`
			select holder as "agentId", ${SUMS} from judge_usage_days where day >= ${fromDay} and holder <> ${DEPLOYMENT}
			group by holder order by coalesce(sum(cost_micro_usd), 0) desc, sum(input_tokens + output_tokens) desc limit ${MOST_SHOWN}`),
	]);
	return { days, counts, tasks, posters };
}

interface BacklogRow {
	readonly waiting: number;
	readonly running: number;
	readonly deliveries: number;
	readonly oldestDelivery: number | null;
	readonly outbox: number;
}

/** How much waits, in one round trip that reads each waiting row once. */
export async function readBacklog(deps: Deps, now: number): Promise<BacklogRow> {
	const [row] = await deps.db.query.all<BacklogRow>(sql`
		select waiting, running, deliveries, "oldestDelivery", (select coalesce(sum(json_array_length(events)), 0) from outbox) as outbox
		from (select coalesce(sum(coalesce(lease_expires_at, 0) <= ${now}), 0) as waiting, coalesce(sum(lease_expires_at > ${now}), 0) as running
				from evaluation_jobs where finished_at is null),
			(select coalesce(sum(waiting_deliveries), 0) as deliveries, min(waiting_since) as "oldestDelivery" from webhooks where ${isTroubled()})`);
	return row ?? { waiting: 0, running: 0, deliveries: 0, oldestDelivery: null, outbox: 0 };
}

/** How many evaluations of those with ids from this one on have failed, by the class of the fault. */
export async function countFailures(deps: Deps, firstId: string) {
	return deps.db.query.all<{ failure: string; jobs: number }>(sql`
		select failure, sum(jobs) as jobs from (
			select coalesce(s.failure, 'unknown') as failure, count(*) as jobs from evaluation_jobs j join submissions s on s.id = j.submission_id
			where j.outcome = 'failed' and j.id >= ${firstId} group by 1
			union all select coalesce(details->>'failure', 'unknown'), count(*) from ${FAILED} and id >= ${firstId} group by 1)
		group by failure`);
}
