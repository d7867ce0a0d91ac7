// Leased work: rows that any consumer may work on, but only one at a time. The queue message is only a hint to look at a row.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../ports/database.ts";
import { guard } from "./commit.ts";
import { evaluationJobs } from "./schema/submissions.ts";
import { trials } from "./schema/trials.ts";

interface LeasedWork {
	readonly table: typeof evaluationJobs | typeof trials;
	/** Which rows still need work, word for word as in the partial indexes of the table. */
	readonly isUnfinished: SQL;
	/** A consumer that dies is replaced after this time. */
	readonly leaseMs: number;
}

/** A consumer renews the lease of a job while it works on the job. */
export const EVALUATION_JOBS = {
	table: evaluationJobs,
	isUnfinished: sql`finished_at is null`,
	leaseMs: 90_000,
} as const satisfies LeasedWork;

/** A trial is its own job. It is judged like a submission. */
export const TRIALS = {
	table: trials,
	isUnfinished: sql`finished_at is null`,
	leaseMs: 90_000,
} as const satisfies LeasedWork;

/** A row that has been due for this long without a lease has lost its message. */
export const LOST_MESSAGE_MS = 30_000;

/** The right of one consumer to work on a row, until the lease expires or another consumer takes it. */
export interface Lease {
	readonly id: string;
	/** A new one for each claim. */
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
	/** Further columns to set. */
	readonly also?: Readonly<Record<string, SQL>>;
}

/**
 * Takes the lease of a row that waits, and counts the attempt. One statement, so one consumer wins: afterwards {@link isHeld}
 * is true for the winner only, which reads the row in the same batch. A second run takes nothing, so the batch is idempotent.
 */
export function takeLease(db: Database, work: LeasedWork, { id, token, now, also }: Taking): Statement {
	return db.query
		.update(work.table)
		.set({ ...takenColumns(work, { token, now }), ...also })
		.where(and(eq(work.table.id, id), isWaiting(work, now)));
}

/** The columns of a row whose lease is taken, with the attempt counted. */
export function takenColumns({ table, leaseMs }: LeasedWork, { token, now }: Pick<Taking, "token" | "now">) {
	return { leaseToken: token, leaseExpiresAt: now + leaseMs, attempts: sql`${table.attempts} + 1` };
}

/** Holds while this consumer is the one that works on the row. */
export function guardLease(db: Database, work: LeasedWork, lease: Lease): Statement {
	return guard(db, sql`exists (select 1 from ${work.table} where ${isHeld(work, lease)})`);
}

/** Holds while the row still needs work, with or without a consumer. */
export function guardUnfinished(db: Database, { table, isUnfinished }: LeasedWork, id: string): Statement {
	return guard(db, sql`exists (select 1 from ${table} where ${table.id} = ${id} and ${isUnfinished})`);
}

/** Makes a lease last for its full time again. A consumer that has lost it changes nothing, and learns so when it commits. */
export async function renewLease(db: Database, work: LeasedWork, { now, ...lease }: Lease & { now: number }): Promise<void> {
	await db.query
		.update(work.table)
		.set({ leaseExpiresAt: now + work.leaseMs })
		.where(isHeld(work, lease));
}

/** The columns of a row without a lease. Write them together with a later `dueAt`, or with the end of the work. */
export const RELEASED = { leaseToken: null, leaseExpiresAt: null } as const;

/** A condition: the row has lost its message, or the consumer that took it. It matches at most `limit` rows, oldest first. */
export function isLost({ table, isUnfinished }: LeasedWork, { now, limit }: { now: number; limit: number }): SQL {
	return sql`${table.id} in (
		select id from ${table} where ${isUnfinished} and ${table.dueAt} <= ${now - LOST_MESSAGE_MS} and ${isUnleased(now)}
		order by ${table.dueAt} limit ${limit})`;
}
