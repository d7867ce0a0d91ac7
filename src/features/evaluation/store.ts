import { and, asc, eq, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { evaluations, graderRuns, evaluationJobs as jobs, submissions } from "../../db/schema/submissions.ts";
import { criteria, taskEntries, tasks } from "../../db/schema/tasks.ts";
import { judgeUsage } from "../../db/schema/usage.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export type JobRow = typeof jobs.$inferSelect;
export type CriterionRow = typeof criteria.$inferSelect;
export type TaskForEvaluation = typeof tasks.$inferSelect;
export type SubmissionForEvaluation = typeof submissions.$inferSelect;
export type EvaluationRow = typeof evaluations.$inferSelect;

interface NewJob extends Omit<typeof jobs.$inferInsert, "giveUpAt"> {
	readonly giveUpAt: number;
	/** Whose rubric may give it more time. */
	readonly longRubric: { readonly taskId: string; readonly fromCriteria: number; readonly perCriterionMs: number } | null;
}

export function insertJob(deps: Deps, { longRubric, ...row }: NewJob): Statement {
	if (longRubric === null) return deps.db.query.insert(jobs).values(row);
	const { taskId, fromCriteria, perCriterionMs } = longRubric;
	const beyond = sql`max(0, (select count(*) from criteria where task_id = ${taskId}) - ${fromCriteria})`;
	return deps.db.query.insert(jobs).values({ ...row, giveUpAt: sql`${row.giveUpAt} + ${perCriterionMs} * ${beyond}` });
}

export interface Lease {
	readonly jobId: string;
	readonly token: string;
}

interface Claim extends Lease {
	readonly now: number;
	readonly expiresAt: number;
}

/** Takes the lease of a job that is due and that nobody holds; null when it cannot be had. One statement, so one winner. */
export async function claimJob(deps: Deps, { jobId, token, now, expiresAt }: Claim): Promise<JobRow | null> {
	const [row] = await deps.db.query
		.update(jobs)
		.set({ leaseToken: token, leaseExpiresAt: expiresAt, attempts: sql`${jobs.attempts} + 1` })
		.where(and(eq(jobs.id, jobId), isNull(jobs.finishedAt), lte(jobs.dueAt, now), isUnleased(now)))
		.returning();
	return row ?? null;
}

function isUnleased(now: number): SQL | undefined {
	return or(isNull(jobs.leaseExpiresAt), lte(jobs.leaseExpiresAt, now));
}

export async function renewLease(deps: Deps, { jobId, token }: Lease, expiresAt: number): Promise<boolean> {
	const rows = await deps.db.query
		.update(jobs)
		.set({ leaseExpiresAt: expiresAt })
		.where(and(eq(jobs.id, jobId), eq(jobs.leaseToken, token), isNull(jobs.finishedAt)))
		.returning({ id: jobs.id });
	return rows.length > 0;
}

/** Gives the lease back after a fault and makes the job due later. */
export function postponeJob(deps: Deps, lease: Lease, change: { dueAt: number; lastError: string; progress?: unknown }): Promise<void> {
	return releaseLease(deps, lease, { ...change, faults: sql`${jobs.faults} + 1` });
}

/** Gives the lease back while somebody else is at work. */
export function parkJob(deps: Deps, lease: Lease, change: { dueAt: number; progress: unknown; lastError?: string }): Promise<void> {
	return releaseLease(deps, lease, change);
}

interface JobChange {
	readonly dueAt: number;
	readonly lastError?: string;
	readonly faults?: SQL;
	readonly progress?: unknown;
}

async function releaseLease(deps: Deps, { jobId, token }: Lease, change: JobChange): Promise<void> {
	await deps.db.query
		.update(jobs)
		.set({ ...change, leaseToken: null, leaseExpiresAt: null })
		.where(and(eq(jobs.id, jobId), eq(jobs.leaseToken, token), isNull(jobs.finishedAt)));
}

export async function findJob(deps: Deps, jobId: string): Promise<JobRow | null> {
	const [row] = await deps.db.query.select().from(jobs).where(eq(jobs.id, jobId));
	return row ?? null;
}

/** All that an evaluation needs to know, in one round trip. */
export async function findWork(deps: Deps, submissionId: string) {
	const ofSubmission = sql`(select task_id from submissions where id = ${submissionId})`;
	const [[submission], [task], rubric, earlier, [activeJob]] = await deps.db.query.batch([
		deps.db.query.select().from(submissions).where(eq(submissions.id, submissionId)),
		deps.db.query.select().from(tasks).where(eq(tasks.id, ofSubmission)),
		deps.db.query.select().from(criteria).where(eq(criteria.taskId, ofSubmission)).orderBy(asc(criteria.position), asc(criteria.name)),
		deps.db.query.select().from(evaluations).where(eq(evaluations.submissionId, submissionId)).orderBy(asc(evaluations.iteration)),
		deps.db.query
			.select()
			.from(jobs)
			.where(and(eq(jobs.submissionId, submissionId), sql`finished_at is null`)),
	]);
	return submission === undefined || task === undefined
		? null
		: { submission, task, criteria: rubric, earlier, activeJob: activeJob ?? null };
}

export type Work = NonNullable<Awaited<ReturnType<typeof findWork>>>;

/** Keeps the hash of an artifact that was not hashed when it came in; no change that anybody guards on. */
export async function recordArtifactHash(deps: Deps, submissionId: string, artifactSha256: string): Promise<void> {
	await deps.db.query.update(submissions).set({ artifactSha256 }).where(eq(submissions.id, submissionId));
}

/** Holds while this consumer is the one that works on the job. */
export function guardLease(deps: Deps, { jobId, token }: Lease): Statement {
	return guard(deps.db, sql`exists (select 1 from evaluation_jobs where id = ${jobId} and lease_token = ${token} and finished_at is null)`);
}

/** Holds while the submission is as it was read. */
export function guardSubmission(deps: Deps, submission: Pick<SubmissionForEvaluation, "id" | "revision">): Statement {
	return guard(deps.db, sql`exists (select 1 from submissions where id = ${submission.id} and revision = ${submission.revision})`);
}

export function guardUnfinished(deps: Deps, jobId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from evaluation_jobs where id = ${jobId} and finished_at is null)`);
}

export function insertEvaluation(deps: Deps, row: typeof evaluations.$inferInsert): Statement {
	return deps.db.query.insert(evaluations).values(row);
}

export function updateSubmission(deps: Deps, submissionId: string, change: Partial<typeof submissions.$inferInsert>): Statement {
	return deps.db.query
		.update(submissions)
		.set({ ...change, revision: sql`${submissions.revision} + 1`, updatedAt: deps.clock.now() })
		.where(eq(submissions.id, submissionId));
}

export function finishJob(deps: Deps, jobId: string, end: { outcome: "scored" | "failed"; lastError: string | null }): Statement {
	return deps.db.query
		.update(jobs)
		.set({ ...end, finishedAt: deps.clock.now() })
		.where(eq(jobs.id, jobId));
}

/** Gives an agent one slot back. */
export function returnSlot(deps: Deps, { taskId, agentId }: { taskId: string; agentId: string }): Statement {
	return deps.db.query
		.update(taskEntries)
		.set({ quotaUsed: sql`${taskEntries.quotaUsed} - 1` })
		.where(and(eq(taskEntries.taskId, taskId), eq(taskEntries.agentId, agentId), sql`quota_used > 0`));
}

interface Sweep {
	readonly now: number;
	readonly limit: number;
}

/** Jobs that have been due since before `dueBefore` with nobody working on them; they count as due now. */
export async function markLostJobs(deps: Deps, { now, dueBefore, limit }: Sweep & { dueBefore: number }): Promise<string[]> {
	const lost = sql`(
		select id from evaluation_jobs where finished_at is null and due_at <= ${dueBefore}
			and (lease_expires_at is null or lease_expires_at <= ${now})
		order by due_at limit ${limit})`;
	const rows = await deps.db.query.update(jobs).set({ dueAt: now }).where(sql`${jobs.id} in ${lost}`).returning({ id: jobs.id });
	return rows.map((row) => row.id);
}

/** Unfinished jobs whose time is over. */
export async function selectOverdueJobs(deps: Deps, { now, limit }: Sweep): Promise<string[]> {
	const rows = await deps.db.query
		.select({ id: jobs.id })
		.from(jobs)
		.where(sql`finished_at is null and ${jobs.giveUpAt} <= ${now}`)
		.limit(limit);
	return rows.map((row) => row.id);
}

/** Notes a run of a grader's; false when its job has ended. Noting it again is no fault. */
export async function insertRun(deps: Deps, run: typeof graderRuns.$inferInsert): Promise<boolean> {
	const rows = await deps.db.query
		.insert(graderRuns)
		.select(
			sql`select ${run.id}, ${run.jobId}, ${run.run}, ${run.createdAt} from evaluation_jobs where id = ${run.jobId} and finished_at is null`,
		)
		.onConflictDoUpdate({ target: graderRuns.id, set: { createdAt: run.createdAt } })
		.returning({ id: graderRuns.id });
	return rows.length > 0;
}

export async function selectRunsOfJob(deps: Deps, jobId: string, upToRun: number): Promise<string[]> {
	const rows = await deps.db.query
		.select({ id: graderRuns.id })
		.from(graderRuns)
		.where(and(eq(graderRuns.jobId, jobId), lte(graderRuns.run, upToRun)));
	return rows.map(({ id }) => id);
}

/** Runs of jobs that ended before some time, and runs that a later one of their job has superseded. */
export async function selectRunsThatAreOver(deps: Deps, { finishedBefore, limit }: { finishedBefore: number; limit: number }) {
	return deps.db.query
		.select({ id: graderRuns.id, createdAt: graderRuns.createdAt })
		.from(graderRuns)
		.innerJoin(jobs, eq(jobs.id, graderRuns.jobId))
		.where(
			or(
				lte(jobs.finishedAt, finishedBefore),
				sql`exists (select 1 from grader_runs later where later.job_id = ${graderRuns.jobId} and later.run > ${graderRuns.run})`,
			),
		)
		.limit(limit);
}

export async function deleteRuns(deps: Deps, runs: readonly { readonly id: string }[]): Promise<void> {
	const ids = JSON.stringify(runs.map(({ id }) => id));
	await deps.db.query.delete(graderRuns).where(sql`${graderRuns.id} in (select value from json_each(${ids}))`);
}

/** Keeps what models cost; a trigger adds it to the task's sums. One row for each model, so few enough for one statement. */
export async function insertUsage(deps: Deps, rows: readonly (typeof judgeUsage.$inferInsert)[]): Promise<void> {
	await deps.db.query.insert(judgeUsage).values([...rows]);
}
