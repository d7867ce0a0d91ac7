// What leases add for the jobs of judging: retries, pauses, and waits that do not count towards a job's time limit.
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";
import { type EVALUATION_JOBS, isHeld, isLost, isWaiting, type Lease, LOST_MESSAGE_MS, RELEASED, type TRIALS } from "./leases.ts";
import { evaluationJobs } from "./schema/submissions.ts";

/** The jobs of judging: evaluations of submissions, and trials. Both tables have the same columns for the work. */
export type JudgingQueue = typeof EVALUATION_JOBS | typeof TRIALS;

/** A job whose lease this consumer holds. */
interface HeldJob {
	readonly queue: JudgingQueue;
	readonly lease: Lease;
}

interface JobRelease {
	readonly dueAt: number;
	readonly lastError?: string;
	readonly progress?: unknown;
	/** Whether the attempt ended in a fault. */
	readonly isFault?: boolean;
}

/** Releases the lease of a job until `dueAt`. A consumer that has lost the lease changes nothing. */
export async function releaseJob(db: Database, { queue, lease }: HeldJob, { isFault = false, ...change }: JobRelease): Promise<void> {
	await db.query
		.update(queue.table)
		.set({ ...change, ...RELEASED, ...(isFault ? { faults: sql`${queue.table.faults} + 1` } : {}) })
		.where(isHeld(queue, lease));
}

interface Pause {
	readonly now: number;
	/** What the agent and the task's owner read. */
	readonly reason: string;
}

/** A condition: the job waits, and its work has not begun. */
const isUntouched = (queue: JudgingQueue, now: number) => sql`${isWaiting(queue, now)} and progress is null`;

/** The columns of a job that waits until judging is switched on again. {@link countWaiting} gives it that time back. */
const pausedColumns = ({ now, reason }: Pause) => ({ waitingFor: reason, dueAt: now });

/** Makes a job wait while judging is paused. Returns false for a job that has begun, is leased, is not due or has ended. */
export async function pauseJob(db: Database, queue: JudgingQueue, { id, ...pause }: Pause & { readonly id: string }): Promise<boolean> {
	const { table } = queue;
	const isThis = and(eq(table.id, id), isUntouched(queue, pause.now));
	const [, rows] = await db.query.batch([
		db.query.update(table).set(pausedColumns(pause)).where(and(isThis, sql`waiting_for is null`)),
		db.query.select({ id: table.id }).from(table).where(isThis),
	]);
	return rows.length > 0;
}

/** {@link pauseJob} for all jobs that have lost their message, so that none exceeds its time limit. */
export async function pauseLostJobs(db: Database, queue: JudgingQueue, pause: Pause): Promise<void> {
	await db.query
		.update(queue.table)
		.set(pausedColumns(pause))
		.where(and(isUntouched(queue, pause.now - LOST_MESSAGE_MS), sql`waiting_for is null`));
}

interface Deferral {
	readonly dueAt: number;
	readonly lastError: string;
	/** The ceiling that the job waits for, or null. */
	readonly waitingFor: string | null;
	/** The job's time limit moves by this many milliseconds. */
	readonly extendMs: number;
	/** How far from the job's creation all waits together may move the limit. Waits for a ceiling do not count. */
	readonly maxWaitingMs: number;
}

/** Releases the lease while a provider or a ceiling allows no calls. The wait does not count towards the job's time limit. */
export async function deferJob(db: Database, { queue, lease }: HeldJob, { extendMs, maxWaitingMs, ...change }: Deferral): Promise<void> {
	const { table } = queue;
	const extended = sql`${table.giveUpAt} + ${extendMs}`;
	const latest = sql`max(${table.giveUpAt}, ${table.createdAt} + ${table.ceilingWaitMs} + ${maxWaitingMs})`;
	const time =
		change.waitingFor === null
			? { giveUpAt: sql`min(${extended}, ${latest})` }
			: { giveUpAt: extended, ceilingWaitMs: sql`${table.ceilingWaitMs} + ${extendMs}` };
	await db.query
		.update(table)
		.set({ ...change, ...time, ...RELEASED })
		.where(isHeld(queue, lease));
}

/** Moves the time limit of a job by how long it has waited for a ceiling, until now: it may be claimed later than it was due. */
export function countWaiting({ table }: JudgingQueue, now: number) {
	const lateMs = sql`(case when waiting_for is null then 0 else ${now} - ${table.dueAt} end)`;
	return { giveUpAt: sql`${table.giveUpAt} + ${lateMs}`, ceilingWaitMs: sql`${table.ceilingWaitMs} + ${lateMs}` };
}

interface Sweep {
	readonly now: number;
	readonly limit: number;
}

/** Makes jobs that have lost their message due now. Returns their ids. */
export async function markLostJobs(db: Database, queue: JudgingQueue, { now, limit }: Sweep): Promise<string[]> {
	const rows = await db.query
		.update(queue.table)
		.set({ dueAt: now, ...countWaiting(queue, now) })
		.where(isLost(queue, { now, limit }))
		.returning({ id: queue.table.id });
	return rows.map(({ id }) => id);
}

/** Unfinished jobs that have exceeded their time limit. A job that waits for a ceiling has no limit. */
export async function selectOverdueJobs(db: Database, { table, isUnfinished }: JudgingQueue, { now, limit }: Sweep): Promise<string[]> {
	const rows = await db.query
		.select({ id: table.id })
		.from(table)
		.where(sql`${isUnfinished} and waiting_for is null and ${table.giveUpAt} <= ${now}`)
		.limit(limit);
	return rows.map(({ id }) => id);
}

const NEXT_LOOKED_AT = 100;

/**
 * When the oldest evaluation that no consumer has looked at was requested; null when none waits. It is among those that are next, in the
 * order of the index `evaluation_jobs_untouched`: so few rows tell, however many wait.
 */
export function selectOldestWaiting(query: Database["query"], now: number) {
	return query
		.select({ since: sql<number | null>`min(created_at)`.as("since") })
		.from(
			query
				.select({ createdAt: evaluationJobs.createdAt })
				.from(evaluationJobs)
				.where(sql`finished_at is null and attempts = 0 and due_at <= ${now}`)
				.orderBy(evaluationJobs.turn, evaluationJobs.partyTurn)
				.limit(NEXT_LOOKED_AT)
				.as("next"),
		);
}

/** How long the oldest evaluation has waited that no consumer has looked at. 0 when none waits. */
export async function readQueueAgeMs({ query }: Pick<Database, "query">, now: number): Promise<number> {
	const [oldest] = await selectOldestWaiting(query, now);
	return queueAgeMs(oldest?.since ?? null, now);
}

/** @param since What {@link selectOldestWaiting} has found. */
export function queueAgeMs(since: number | null, now: number): number {
	return since === null ? 0 : Math.max(0, now - since);
}
