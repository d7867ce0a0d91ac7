// Jobs of a Task object: the work that queue consumers do for it.
import { and, count, desc, eq, gt, isNull, lte, min, type SQL, sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { type JobRow, jobs } from "../../../db/task/schema/judging.ts";
import { criteria, type TaskRow } from "../../../db/task/schema/task.ts";
import { MODES } from "../../../domain/modes.ts";
import type { TaskDatabase, TaskJoints, TaskStore } from "../../../ports/task.ts";
import { GIVE_UP_MARGIN_MS, LONG_RUBRIC } from "../../judging/rules.ts";
import { MAX_WAITING_MS, waitEndOf } from "./waits.ts";

/**
 * Queues a job. Parties take turns, so a party's first queued job goes before the second job of any other party.
 *
 * @param job Pass an `id` if a repeated call must find the job that the first call queued. Consumers may claim the job from `dueAt`, in
 * milliseconds since the epoch, by default now.
 */
export function enqueueJob(
	task: TaskStore,
	{
		id = task.newId(),
		dueAt = task.now,
		...job
	}: Pick<JobRow, "kind" | "subjectId" | "party" | "giveUpAt"> &
		Partial<Pick<JobRow, "id" | "iteration" | "round" | "isBound" | "runs" | "dueAt" | "fund" | "payer" | "operatorReason">>,
): string {
	const first = firstTurnQuery(task.db).get({ kind: job.kind })?.turn ?? 1;
	const last = lastTurnQuery(task.db).get({ kind: job.kind, party: job.party })?.turn ?? 0;
	const turn = Math.max(first, last + 1);
	const state = dueAt <= task.now ? "ready" : "waiting";
	const row = { ...job, id, turn, state, dueAt, requestId: task.requestId, createdAt: task.now } as const;
	const wakeAt = wakeTime({ ...NEW, ...row }, dueAt);
	task.db
		.insert(jobs)
		.values({ ...row, wakeAt })
		.run();
	noteWakeTime(task, wakeAt);
	task.markJobs();
	return id;
}

const isReadyOfKind = and(eq(jobs.state, "ready"), eq(jobs.kind, sql.placeholder("kind")));
/** Selects the lowest turn among the ready jobs of this kind that no consumer has begun. */
const firstTurnQuery = prepareOnce((db) =>
	db
		.select({ turn: jobs.turn })
		.from(jobs)
		.where(and(isReadyOfKind, gt(jobs.turn, 0)))
		.orderBy(jobs.turn)
		.limit(1)
		.prepare(),
);
const lastTurnQuery = prepareOnce((db) =>
	db
		.select({ turn: jobs.turn })
		.from(jobs)
		.where(and(isReadyOfKind, eq(jobs.party, sql.placeholder("party"))))
		.orderBy(desc(jobs.turn))
		.limit(1)
		.prepare(),
);

const NEW = { isBound: false, wait: null, waitedMs: 0 } as const;

type JudgingSettings = Pick<TaskRow, "evalMode" | "evalTimeoutSeconds">;

/**
 * Queues an evaluation of a submission. The evaluation ends without a score once the mode's time limit is over.
 *
 * @param job Without a `fund`, the job may use the task's whole ceiling. Without a `payer`, its cost counts only towards the daily ceilings
 * of the poster and of the deployment.
 */
export function enqueueEvaluation(
	task: TaskStore,
	judged: JudgingSettings,
	{
		submissionId,
		...job
	}: Pick<JobRow, "party" | "iteration" | "round"> &
		Partial<Pick<JobRow, "isBound" | "fund" | "payer" | "operatorReason">> & { readonly id?: string; readonly submissionId: string },
): string {
	return enqueueJob(task, { kind: "evaluation", subjectId: submissionId, ...job, giveUpAt: task.now + timeLimitMs(task, judged) });
}

/** Returns how long one evaluation may take in total. Long rubrics get more time, because the model calls run one after the other. */
export function timeLimitMs({ db }: TaskStore, { evalMode, evalTimeoutSeconds }: JudgingSettings): number {
	const mode = MODES[evalMode];
	const rubric = mode.usesJudge ? (rubricLengthQuery(db).get()?.length ?? 0) : 0;
	const beyond = Math.max(0, rubric - LONG_RUBRIC.fromCriteria);
	return mode.timeLimitMs(evalTimeoutSeconds) + GIVE_UP_MARGIN_MS + beyond * LONG_RUBRIC.perCriterionMs;
}

const rubricLengthQuery = prepareOnce((db) => db.select({ length: count() }).from(criteria).prepare());

/** Returns a subject's unfinished job of this kind, or null if there is none. */
export function findJobOf({ db }: TaskStore, { kind, subjectId }: Pick<JobRow, "kind" | "subjectId">): JobRow | null {
	return jobQuery(db).get({ kind, subjectId }) ?? null;
}

const jobQuery = prepareOnce((db) =>
	db
		.select()
		.from(jobs)
		.where(and(eq(jobs.subjectId, sql.placeholder("subjectId")), eq(jobs.kind, sql.placeholder("kind"))))
		.prepare(),
);

/** The maximum number of jobs that the search for the oldest evaluation looks at, in the order of their turns. */
const NEXT_LOOKED_AT = 100;

/**
 * Returns since when the oldest evaluation that no consumer has started could have been started, in milliseconds since the epoch.
 * Evaluations that wait or are paused do not count, and neither does the time of a pause. Returns null if there is none.
 */
export function findUntouched({ db }: TaskStore): number | null {
	return untouchedQuery(db).get()?.at ?? null;
}

const untouchedQuery = prepareOnce((db) => {
	const next = db
		.select({ since: sql<number>`max(${jobs.createdAt}, ${jobs.dueAt})`.as("since"), wait: jobs.wait })
		.from(jobs)
		.where(and(eq(jobs.state, "ready"), eq(jobs.kind, "evaluation"), gt(jobs.turn, 0)))
		.orderBy(jobs.turn, jobs.id)
		.limit(NEXT_LOOKED_AT)
		.as("next");
	return db
		.select({ at: min(next.since).mapWith(Number) })
		.from(next)
		.where(isNull(next.wait))
		.prepare();
});

/** Changes a job that has not ended. */
export function updateJob(task: TaskStore, { kind, subjectId }: Pick<JobRow, "kind" | "subjectId">, change: Partial<JobRow>): void {
	task.db
		.update(jobs)
		.set(change)
		.where(and(eq(jobs.subjectId, subjectId), eq(jobs.kind, kind)))
		.run();
	if (change.wakeAt !== undefined) noteWakeTime(task, change.wakeAt);
	task.markJobs();
}

/** Removes a job that has ended. */
export function deleteJob(task: TaskStore, { kind, subjectId }: Pick<JobRow, "kind" | "subjectId">): void {
	task.db
		.delete(jobs)
		.where(and(eq(jobs.subjectId, subjectId), eq(jobs.kind, kind)))
		.run();
	task.markJobs();
}

type LimitedJob = Pick<JobRow, "state" | "dueAt" | "giveUpAt" | "wait" | "waitedMs" | "isBound">;

/**
 * Returns when a job ends without a score, in milliseconds since the epoch, because its work, its waits or its time in the queue took too
 * long. Returns null for paused jobs, and for bound jobs whose turn has not come.
 */
export function limitOf(job: LimitedJob): number | null {
	if (job.state === "claimed") return job.giveUpAt;
	if (job.wait !== null) return waitEndOf(job);
	if (job.state !== "ready") return job.giveUpAt;
	return job.isBound ? null : Math.max(job.giveUpAt, job.dueAt + MAX_WAITING_MS);
}

/**
 * Returns when a job must be checked next, or null for never.
 *
 * @param until The end of the claim, or the time when a waiting job is due, in milliseconds since the epoch.
 */
export function wakeTime(job: LimitedJob, until: number): number | null {
	const limit = limitOf(job);
	if (job.state === "ready") return limit;
	return limit === null ? until : Math.min(until, limit);
}

/**
 * No job is due before this time. The object keeps it in memory, because an index would cost two rows per job. After a job has ended or a
 * change was rolled back, it may be too early, so the jobs are read once more than necessary.
 */
const quietUntil = new WeakMap<TaskDatabase, number>();

function noteWakeTime({ db }: TaskStore, wakeAt: number | null): void {
	const until = quietUntil.get(db);
	if (until !== undefined && wakeAt !== null && wakeAt < until) quietUntil.set(db, wakeAt);
}

/** Call this after changing many jobs at once, so that the next due time is read again. */
export function forgetWakeTime({ db }: TaskStore): void {
	quietUntil.delete(db);
}

/** Returns when the next job is due, or null for never. Remembers the time, so verbs must not call it: their changes may be rolled back. */
export function findWakeTime({ db, now, parts }: TaskStore): number | null {
	const until = quietUntil.get(db);
	if (until !== undefined && until > now) return Number.isFinite(until) ? until : null;
	const wakeAt = db
		.select({ at: min(jobs.wakeAt) })
		.from(jobs)
		.where(isKnown(parts))
		.get()?.at;
	quietUntil.set(db, wakeAt ?? Number.POSITIVE_INFINITY);
	return wakeAt ?? null;
}

/** One change wakes or ends at most this many jobs, so that its transaction and outbox row stay small. The next alarm takes the rest. */
const DUE_AT_ONCE = 200;

/** Returns the jobs that are due, at most {@link DUE_AT_ONCE}, those that have been due longest first. */
export function selectDue({ db, now, parts }: TaskStore): JobRow[] {
	const until = quietUntil.get(db);
	if (until !== undefined && until > now) return [];
	return db
		.select()
		.from(jobs)
		.where(and(lte(jobs.wakeAt, now), isKnown(parts)))
		.orderBy(jobs.wakeAt)
		.limit(DUE_AT_ONCE)
		.all();
}

/** Matches jobs whose extension is part of this platform. Other jobs are not claimed, woken or paused. */
export function isKnown({ jobs: kinds }: TaskJoints): SQL {
	const pairs = kinds.map(({ kind, isBound = false }) => sql`(${kind}, ${Number(isBound)})`);
	return sql`(kind, is_bound) in (values ${sql.join(pairs, sql`, `)})`;
}
