// The SQL of a webhook's Durable Object. It is synchronous, like the storage of the object.
import { and, asc, desc, eq, lt, lte, notInArray, type SQL, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import * as z from "zod";
import type { DeliveryStatus } from "../../../../domain/retries.ts";
import type { PageBefore } from "../../../../ports/database.ts";
import type {
	LoggedAttempt,
	LoggedDelivery,
	NewDelivery,
	UnsuccessfulDelivery,
	UnsuccessfulQuery,
} from "../../../../ports/webhook-sender.ts";
import { deliveries, receiver } from "./schema.ts";

export type DeliveryDatabase = DrizzleSqliteDODatabase;
export type DeliveryRow = typeof deliveries.$inferSelect;
export type ReceiverRow = typeof receiver.$inferSelect;

const isPending = sql`status = 'pending'`;

/** Stores a delivery that is due now. Does nothing if the event already has a delivery, unless this one is a replay. */
export function insertDelivery(
	db: DeliveryDatabase,
	{ webhookId, now, ...delivery }: NewDelivery & { readonly replayOf: string | null; readonly webhookId: string; readonly now: number },
): void {
	db.transaction(() => {
		db.insert(receiver).values({ webhookId }).onConflictDoNothing().run();
		db.insert(deliveries)
			.values({ ...delivery, dueAt: now, createdAt: now })
			.onConflictDoNothing()
			.run();
	});
}

/** Reads what the object stores about the receiver. Returns null before the first delivery. */
export function findReceiver(db: DeliveryDatabase): ReceiverRow | null {
	return db.select().from(receiver).get() ?? null;
}

export function updateReceiver(db: DeliveryDatabase, change: Partial<ReceiverRow>): void {
	db.update(receiver).set(change).run();
}

export function findDelivery(db: DeliveryDatabase, id: string): DeliveryRow | null {
	return db.select().from(deliveries).where(eq(deliveries.id, id)).get() ?? null;
}

/** Selects the ids of pending deliveries that are due, the longest overdue first. */
export function selectDueDeliveries(
	db: DeliveryDatabase,
	{ now, except, limit }: { readonly now: number; readonly except: readonly string[]; readonly limit: number },
): string[] {
	return db
		.select({ id: deliveries.id })
		.from(deliveries)
		.where(and(isPending, lte(deliveries.dueAt, now), notInArray(deliveries.id, [...except])))
		.orderBy(asc(deliveries.dueAt))
		.limit(limit)
		.all()
		.map(({ id }) => id);
}

/** Returns when the next pending delivery is due, or null if none is pending. */
export function findNextAttempt(db: DeliveryDatabase): number | null {
	const [next] = db.select({ at: deliveries.dueAt }).from(deliveries).where(isPending).orderBy(asc(deliveries.dueAt)).limit(1).all();
	return next?.at ?? null;
}

/** Returns when the oldest delivery was created, or null if there is none. */
export function findOldest(db: DeliveryDatabase): number | null {
	const [oldest] = db.select({ at: deliveries.createdAt }).from(deliveries).orderBy(asc(deliveries.id)).limit(1).all();
	return oldest?.at ?? null;
}

/** Makes a pending delivery due at another time. */
export function postponeDelivery(db: DeliveryDatabase, id: string, dueAt: number): void {
	db.update(deliveries)
		.set({ dueAt })
		.where(and(eq(deliveries.id, id), isPending))
		.run();
}

/** Counts an attempt at a pending delivery. If the object dies during the attempt, the next one is due at `dueAt`. */
export function beginAttempt(db: DeliveryDatabase, id: string, dueAt: number): DeliveryRow | null {
	const [begun] = db
		.update(deliveries)
		.set({ dueAt, attempts: sql`${deliveries.attempts} + 1` })
		.where(and(eq(deliveries.id, id), isPending))
		.returning()
		.all();
	return begun ?? null;
}

/**
 * Logs the end of an attempt.
 *
 * @param dueAt Null unless the delivery stays pending.
 * @param finishedAt Null unless the delivery has ended.
 * @returns False if the delivery was stopped or erased in the meantime.
 */
export function endAttempt(
	db: DeliveryDatabase,
	id: string,
	{
		attempt,
		status,
		dueAt,
		finishedAt,
	}: {
		readonly attempt: LoggedAttempt;
		readonly status: DeliveryStatus;
		readonly dueAt: number | null;
		readonly finishedAt: number | null;
	},
): boolean {
	const attemptLog = sql`json_insert(attempt_log, '$[#]', json(${JSON.stringify(attempt)}))`;
	const ended = db
		.update(deliveries)
		.set({ status, finishedAt, attemptLog, ...(dueAt === null ? {} : { dueAt }) })
		.where(and(eq(deliveries.id, id), isPending))
		.returning({ id: deliveries.id })
		.all();
	return ended.length > 0;
}

/** Cancels one pending delivery, or all of them. */
export function cancelPending(db: DeliveryDatabase, now: number, id?: string): void {
	db.update(deliveries)
		.set({ status: "cancelled", finishedAt: now })
		.where(and(isPending, id === undefined ? undefined : eq(deliveries.id, id)))
		.run();
}

const loggedAttempts = z.array(
	z.object({
		number: z.number(),
		startedAt: z.number(),
		durationMs: z.number(),
		responseCode: z.number().nullable(),
		responseBody: z.string().nullable(),
		error: z.string().nullable(),
	}),
);

/** The number of deliveries to read at a time. Together with a full page, they stay below the 32 MB that a call may return. */
const LOG_ROWS_AT_ONCE = 5;

/** Selects a page of deliveries, newest first. Once their bodies are longer than `maxBytes`, the page ends. */
export function selectLog(db: DeliveryDatabase, { before, limit, maxBytes }: PageBefore & { readonly maxBytes: number }): LoggedDelivery[] {
	const log: LoggedDelivery[] = [];
	let characters = 0;
	while (log.length < limit && characters <= maxBytes) {
		const wanted = Math.min(LOG_ROWS_AT_ONCE, limit - log.length);
		const rows = selectRows(db, { before: log.at(-1)?.id ?? before, limit: wanted });
		for (const { body } of rows) characters += body.length;
		log.push(
			...rows.map(({ attempts: _, taskId: __, attemptLog, ...row }) => ({
				...row,
				attempts: loggedAttempts.parse(JSON.parse(attemptLog)),
			})),
		);
		if (rows.length < wanted) break;
	}
	return log;
}

function selectRows(db: DeliveryDatabase, { before, limit }: PageBefore): DeliveryRow[] {
	return db
		.select()
		.from(deliveries)
		.where(before === null ? undefined : lt(deliveries.id, before))
		.orderBy(desc(deliveries.id))
		.limit(limit)
		.all();
}

/** Selects deliveries that have not succeeded, newest first. Reads and sorts all pending deliveries. */
export function selectUnsuccessful(
	db: DeliveryDatabase,
	{
		state,
		before,
		limit,
		running,
		dueBefore,
		id,
	}: UnsuccessfulQuery & { readonly running: readonly string[]; readonly dueBefore: number; readonly id?: string },
): UnsuccessfulDelivery[] {
	const isInPage = sql`${before === null ? sql`true` : sql`id < ${before}`} and ${id === undefined ? sql`true` : sql`id = ${id}`}`;
	const lastError = sql`coalesce(attempt_log->>'$[#-1].error', 'HTTP ' || (attempt_log->>'$[#-1].responseCode')) as "lastError"`;
	const columns = (stateOf: SQL) =>
		sql`select id, ${stateOf} as state, attempts, coalesce(finished_at, created_at) as since, due_at as "dueAt", ${lastError} from deliveries`;
	const pendingState = sql`(case when id in (select value from json_each(${JSON.stringify(running)})) then 'running'
		when due_at < ${dueBefore} then 'stuck' else 'waiting' end)`;
	const isOfState = state === null ? sql`true` : sql`state = ${state}`;
	return db.all<UnsuccessfulDelivery>(sql`
		select * from (
			${columns(pendingState)} where status = 'pending' and ${isInPage}
			union all ${columns(sql`'failed'`)} where status = 'failed' and ${isInPage})
		where ${isOfState} order by id desc limit ${limit}`);
}

/**
 * Counts the pending deliveries that were created before a time. Also returns when the oldest of them was created, and whether any delivery
 * has failed for good.
 */
export function summarizeTrouble(db: DeliveryDatabase, createdUntil: number) {
	const [waiting] = db
		.select({ n: sql<number>`count(*)`, since: sql<number | null>`min(created_at)` })
		.from(deliveries)
		.where(and(isPending, lte(deliveries.createdAt, createdUntil)))
		.all();
	const [failed] = db.select({ id: deliveries.id }).from(deliveries).where(sql`status = 'failed'`).limit(1).all();
	return { waiting: waiting?.n ?? 0, waitingSince: waiting?.since ?? null, hasFailed: failed !== undefined };
}

/** Deletes the deliveries whose ids are smaller than this id, unless they are pending. */
export function forgetBefore(db: DeliveryDatabase, id: string): void {
	db.delete(deliveries)
		.where(and(lt(deliveries.id, id), sql`status <> 'pending'`))
		.run();
}

export function eraseAbout(db: DeliveryDatabase, text: string): void {
	db.delete(deliveries).where(sql`instr(body, ${text}) > 0`).run();
}

export function eraseAll(db: DeliveryDatabase): void {
	db.delete(deliveries).run();
	db.delete(receiver).run();
}
