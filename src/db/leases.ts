// Leased work: rows that any consumer may work on, but only one at a time. The queue message is only a hint to look at a row.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../ports/database.ts";
import { guard } from "./commit.ts";
import { evaluationJobs } from "./schema/submissions.ts";
import { trials } from "./schema/trials.ts";
import { webhookDeliveries } from "./schema/webhooks.ts";

interface LeasedWork {
	readonly table: typeof evaluationJobs | typeof trials | typeof webhookDeliveries;
	/** Which rows still need work, word for word as in the partial indexes of the table. */
	readonly isUnfinished: SQL;
	/** A consumer that dies is replaced after this time. */
	readonly leaseMs: number;
}

/** A consumer renews the lease of a job while it works on it. */
export const EVALUATION_JOBS = {
	table: evaluationJobs,
	isUnfinished: sql`finished_at is null`,
	leaseMs: 90_000,
} as const satisfies LeasedWork;

/** A trial is its own job, and is judged as submissions are. */
export const TRIALS = {
	table: trials,
	isUnfinished: sql`finished_at is null`,
	leaseMs: 90_000,
} as const satisfies LeasedWork;

/** The lease of a delivery is longer than any attempt takes, so it is never renewed. */
export const WEBHOOK_DELIVERIES = {
	table: webhookDeliveries,
	isUnfinished: sql`status = 'pending'`,
	leaseMs: 30_000,
} as const satisfies LeasedWork;

/** A row that has been due for this long without a lease has lost its message. */
export const LOST_MESSAGE_MS = 30_000;

/** The right of one consumer to work on a row, until it ends or another consumer takes over. */
export interface Lease {
	readonly id: string;
	/** Made up for each claim. */
	readonly token: string;
}

/** A condition: the row is unfinished and due, and no consumer holds its lease. */
export function isWaiting({ table, isUnfinished }: LeasedWork, now: number): SQL {
	return sql`${isUnfinished} and ${table.dueAt} <= ${now} and ${isUnleased(now)}`;
}

function isUnleased(now: number): SQL {
	return sql`(lease_expires_at is null or lease_expires_at <= ${now})`;
}

/** A condition: the row is unfinished and this consumer holds its lease. */
export function isHeld({ table, isUnfinished }: LeasedWork, { id, token }: Lease): SQL | undefined {
	return and(eq(table.id, id), eq(table.leaseToken, token), isUnfinished);
}

interface Taking extends Lease {
	readonly now: number;
	/** A further condition that the row must meet. */
	readonly onlyIf?: SQL;
	/** Further columns to set. */
	readonly also?: Readonly<Record<string, SQL>>;
}

/**
 * Takes the lease of a row that waits, and counts the attempt. One statement, so one consumer wins: afterwards {@link isHeld}
 * is true for the winner only, which reads the row in the same batch.
 */
export function takeLease(db: Database, work: LeasedWork, { id, token, now, onlyIf, also }: Taking): Statement {
	return db.query
		.update(work.table)
		.set({ ...takenColumns(work, { token, now }), ...also })
		.where(and(eq(work.table.id, id), isWaiting(work, now), onlyIf));
}

/** The columns of a row whose lease is taken, with the attempt counted. */
export function takenColumns({ table, leaseMs }: LeasedWork, { token, now }: Pick<Taking, "token" | "now">) {
	return { leaseToken: token, leaseExpiresAt: now + leaseMs, attempts: sql`${table.attempts} + 1` };
}

/** Holds while this consumer is the one that works on the row. */
export function guardLease(db: Database, work: LeasedWork, lease: Lease): Statement {
	return guard(db, sql`exists (select 1 from ${work.table} where ${isHeld(work, lease)})`);
}

/** Makes a lease last for its full time again. A consumer that has lost it changes nothing, and learns so when it commits. */
export async function renewLease(db: Database, work: LeasedWork, { now, ...lease }: Lease & { now: number }): Promise<void> {
	await db.query
		.update(work.table)
		.set({ leaseExpiresAt: now + work.leaseMs })
		.where(isHeld(work, lease));
}

/** The columns of a row without a lease. With a later `dueAt` they postpone the row; with an end they finish it. */
export const RELEASED = { leaseToken: null, leaseExpiresAt: null } as const;

/** A condition: the row has lost its message, or the consumer that took it. It matches at most `limit` rows, oldest first. */
export function isLost({ table, isUnfinished }: LeasedWork, { now, limit }: { now: number; limit: number }): SQL {
	return sql`${table.id} in (
		select id from ${table} where ${isUnfinished} and ${table.dueAt} <= ${now - LOST_MESSAGE_MS} and ${isUnleased(now)}
		order by ${table.dueAt} limit ${limit})`;
}

/** Jobs of judging: of submissions, and trials. Both have the same columns for their work. */
export type JudgingQueue = typeof EVALUATION_JOBS | typeof TRIALS;

/** A job that this consumer holds. */
interface HeldJob {
	readonly queue: JudgingQueue;
	readonly lease: Lease;
}

interface JobRelease {
	readonly dueAt: number;
	readonly lastError?: string;
	readonly progress?: unknown;
	/** The attempt ended in a fault. */
	readonly isFault?: boolean;
}

/** Gives the lease of a job back until `dueAt`. A consumer that has lost it changes nothing. */
export async function releaseJob(db: Database, { queue, lease }: HeldJob, { isFault = false, ...change }: JobRelease): Promise<void> {
	await db.query
		.update(queue.table)
		.set({ ...change, ...RELEASED, ...(isFault ? { faults: sql`${queue.table.faults} + 1` } : {}) })
		.where(isHeld(queue, lease));
}

interface Pause {
	readonly now: number;
	/** As agent and owner read it. */
	readonly reason: string;
}

/** A condition: the row waits, and its work has not begun. */
const isUntouched = (queue: JudgingQueue, now: number) => sql`${isWaiting(queue, now)} and progress is null`;

/** The columns of a job that waits until judging goes on. {@link countWaiting} gives it that time back. */
const pausedColumns = ({ now, reason }: Pause) => ({ waitingFor: reason, dueAt: now });

/** Makes a job wait while judging is paused. Returns false when it does not wait: it has begun, it is leased, it is not due, or it has ended. */
export async function pauseJob(db: Database, queue: JudgingQueue, { id, ...pause }: Pause & { readonly id: string }): Promise<boolean> {
	const { table } = queue;
	const isThis = and(eq(table.id, id), isUntouched(queue, pause.now));
	const [, rows] = await db.query.batch([
		db.query.update(table).set(pausedColumns(pause)).where(and(isThis, sql`waiting_for is null`)),
		db.query.select({ id: table.id }).from(table).where(isThis),
	]);
	return rows.length > 0;
}

/** {@link pauseJob} for all jobs that have lost their message, so that none runs out of time. */
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

/** Gives the lease back while a provider or a ceiling wants no calls, or until the next message. Waiting takes nothing of the job's time. */
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

/** Columns of a row that is seen now: one that waited for a ceiling loses no time, also when it is seen late because many waited as long. */
export function countWaiting({ table }: JudgingQueue, now: number) {
	const lateMs = sql`(case when waiting_for is null then 0 else ${now} - ${table.dueAt} end)`;
	return { giveUpAt: sql`${table.giveUpAt} + ${lateMs}`, ceilingWaitMs: sql`${table.ceilingWaitMs} + ${lateMs}` };
}
