import { and, asc, eq, getTableColumns, gt, lte, or, type SQL, sql } from "drizzle-orm";
import { selectValues } from "../../db/insert-select.ts";
import { countWaiting } from "../../db/judging-jobs.ts";
import { EVALUATION_JOBS, isWaiting, type Lease, takenColumns } from "../../db/leases.ts";
import { prepareRead } from "../../db/prepared.ts";
import { evaluations, graderRuns, evaluationJobs as jobs, submissions } from "../../db/schema/submissions.ts";
import { criteria, tasks } from "../../db/schema/tasks.ts";
import { trials } from "../../db/schema/trials.ts";
import { IN_TURN, IS_UNTOUCHED } from "../../db/turns.ts";
import type { Deps } from "../../ports/deps.ts";

export type JobRow = typeof jobs.$inferSelect;
export type CriterionRow = typeof criteria.$inferSelect;
export type TaskForEvaluation = typeof tasks.$inferSelect;
export type SubmissionForEvaluation = typeof submissions.$inferSelect;
export type EvaluationRow = typeof evaluations.$inferSelect;

/** Without the receipt, which is long and only shown in the list of evaluations. */
const { receipt: _, ...earlierColumns } = getTableColumns(evaluations);

/** Takes the lease of a job that is due and that no consumer holds. Returns null when it cannot be taken. */
export async function claimJob(deps: Deps, lease: Lease, now: number): Promise<JobRow | null> {
	return claim(deps, { ...lease, now });
}

/**
 * Takes the lease of the job whose turn it is, in one statement, so that parallel consumers get different ones. The
 * named job lets others go first, unless a consumer has begun it. The message of a job that no longer exists takes no other job.
 */
export async function claimNext(deps: Deps, { id, token }: Lease, now: number): Promise<JobRow | null> {
	const begun = sql`(select id from evaluation_jobs where id = ${id} and finished_at is null and attempts > 0)`;
	const isKnown = sql`exists (select 1 from evaluation_jobs where id = ${id})`;
	const next = sql`(select id from evaluation_jobs where ${isKnown} and ${IS_UNTOUCHED} and ${isWaiting(EVALUATION_JOBS, now)} order by ${IN_TURN} limit 1)`;
	return claim(deps, { id: sql`coalesce(${begun}, ${next})`, token, now });
}

interface Claim {
	/** The id of the job, or an expression for it. */
	readonly id: string | SQL;
	readonly token: string;
	readonly now: number;
}

async function claim(deps: Deps, { id, token, now }: Claim): Promise<JobRow | null> {
	const [row] = await deps.db.query
		.update(jobs)
		.set({ ...takenColumns(EVALUATION_JOBS, { token, now }), ...countWaiting(EVALUATION_JOBS, now), waitingFor: null })
		.where(and(eq(jobs.id, id), isWaiting(EVALUATION_JOBS, now)))
		.returning();
	return row ?? null;
}

export async function findJob(deps: Deps, jobId: string): Promise<JobRow | null> {
	const [row] = await deps.db.query.select().from(jobs).where(eq(jobs.id, jobId));
	return row ?? null;
}

const SUBMISSION_ID = sql.placeholder("submissionId");
const TASK_ID = sql`(select task_id from submissions where id = ${SUBMISSION_ID})`;

const readSubmission = prepareRead((query) => query.select().from(submissions).where(eq(submissions.id, SUBMISSION_ID)));
const readTask = prepareRead((query) => query.select().from(tasks).where(eq(tasks.id, TASK_ID)));
const readCriteria = prepareRead((query) =>
	query.select().from(criteria).where(eq(criteria.taskId, TASK_ID)).orderBy(asc(criteria.position), asc(criteria.name)),
);
const readEarlier = prepareRead((query) =>
	query.select(earlierColumns).from(evaluations).where(eq(evaluations.submissionId, SUBMISSION_ID)).orderBy(asc(evaluations.iteration)),
);
const readActiveJob = prepareRead((query) =>
	query
		.select()
		.from(jobs)
		.where(and(eq(jobs.submissionId, SUBMISSION_ID), sql`finished_at is null`)),
);

/** Everything that an evaluation depends on, in one round trip. */
export async function findWork(deps: Deps, submissionId: string) {
	const values = { submissionId };
	const [[submission], [task], rubric, earlier, [activeJob]] = await deps.db.read(
		readSubmission(values),
		readTask(values),
		readCriteria(values),
		readEarlier(values),
		readActiveJob(values),
	);
	return submission === undefined || task === undefined
		? null
		: { submission, task, criteria: rubric, earlier, activeJob: activeJob ?? null };
}

export type Work = NonNullable<Awaited<ReturnType<typeof findWork>>>;

interface EvaluationPage {
	readonly submissionId: string;
	/** Only evaluations with a greater iteration. */
	readonly afterIteration: number;
	readonly limit: number;
}

/** A page of a submission's evaluations, oldest first, with who may see them. Null without such a submission. */
export async function findEvaluations(deps: Deps, { submissionId, afterIteration, limit }: EvaluationPage) {
	const [[submission], rows] = await deps.db.query.batch([
		deps.db.query
			.select({ agentId: submissions.agentId, companyId: tasks.companyId })
			.from(submissions)
			.innerJoin(tasks, eq(tasks.id, submissions.taskId))
			.where(eq(submissions.id, submissionId)),
		deps.db.query
			.select()
			.from(evaluations)
			.where(and(eq(evaluations.submissionId, submissionId), gt(evaluations.iteration, afterIteration)))
			.orderBy(asc(evaluations.iteration))
			.limit(limit),
	]);
	return submission === undefined ? null : { ...submission, rows };
}

/** Stores the hash of an artifact that came without one. No guard depends on it, so the revision stays. */
export async function saveArtifactHash(deps: Deps, submissionId: string, artifactSha256: string): Promise<void> {
	await deps.db.query.update(submissions).set({ artifactSha256 }).where(eq(submissions.id, submissionId));
}

/** Records a run of a grader. Repeating it changes only the time. Returns false when its job has ended. */
export async function saveRun(deps: Deps, { id, jobId, run, createdAt }: typeof graderRuns.$inferSelect): Promise<boolean> {
	const source = sql`where exists (select 1 from evaluation_jobs where id = ${jobId} and finished_at is null)
		or exists (select 1 from trials where id = ${jobId} and finished_at is null)`;
	const rows = await deps.db.query
		.insert(graderRuns)
		.select(selectValues(graderRuns, { id, jobId, run, createdAt }, source))
		.onConflictDoUpdate({ target: graderRuns.id, set: { createdAt } })
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

/** Runs of jobs that ended before this time, and runs that a later run of the same job has superseded. */
export async function selectRunsThatAreOver(deps: Deps, { finishedBefore, limit }: { finishedBefore: number; limit: number }) {
	return deps.db.query
		.select({ id: graderRuns.id, createdAt: graderRuns.createdAt })
		.from(graderRuns)
		.leftJoin(jobs, eq(jobs.id, graderRuns.jobId))
		.leftJoin(trials, eq(trials.id, graderRuns.jobId))
		.where(
			or(
				lte(jobs.finishedAt, finishedBefore),
				lte(trials.finishedAt, finishedBefore),
				// The trial was deleted with its task.
				sql`${jobs.id} is null and ${trials.id} is null`,
				sql`exists (select 1 from grader_runs later where later.job_id = ${graderRuns.jobId} and later.run > ${graderRuns.run})`,
			),
		)
		.limit(limit);
}

export async function forgetRuns(deps: Deps, runs: readonly { readonly id: string }[]): Promise<void> {
	const ids = JSON.stringify(runs.map(({ id }) => id));
	await deps.db.query.delete(graderRuns).where(sql`${graderRuns.id} in (select value from json_each(${ids}))`);
}

/** The keys of objects that belong to no evaluation and no unfinished job. */
export async function selectUnreferencedReports(
	deps: Deps,
	objects: readonly Record<"key" | "evaluationId" | "jobId", string | null>[],
): Promise<string[]> {
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select value->>'key' as key from json_each(${JSON.stringify(objects)})
		where not exists (select 1 from evaluations where id = value->>'evaluationId' and report_key = value->>'key')
			and not exists (select 1 from trials where report_key = value->>'key')
			and not exists (select 1 from evaluation_jobs where id = value->>'jobId' and finished_at is null)
			and not exists (select 1 from trials where id = value->>'jobId' and finished_at is null)`);
	return rows.map(({ key }) => key);
}

/** Pins the image of a task, unless it is pinned. One statement, so parallel runs agree. Returns the pinned digest. */
export async function pinImage(deps: Deps, taskId: string, digest: string): Promise<string | null> {
	const [row] = await deps.db.query
		.update(tasks)
		.set({ evalImageDigest: sql`coalesce(${tasks.evalImageDigest}, ${digest})` })
		.where(eq(tasks.id, taskId))
		.returning({ digest: tasks.evalImageDigest });
	return row?.digest ?? null;
}
