import { and, eq, gt, inArray, lte } from "drizzle-orm";
import { directoryOutbox, type WaitingEvent } from "../db/schema/events.ts";
import { parseEvent } from "../domain/events.ts";
import { SECOND_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";

/** The maximum number of ids per query. D1 takes at most 100 parameters. */
const MAX_IDS = 50;

type OutboxRow = typeof directoryOutbox.$inferSelect;

/**
 * Dispatches the events that this request, message or alarm has committed. If the Worker dies or a listener fails, {@link sweepOutbox}
 * dispatches the rest.
 */
export async function dispatchRecorded(deps: Deps): Promise<void> {
	// This is a loop, because listeners may commit further events.
	while (deps.db.committedEvents.length > 0) {
		const ids = deps.db.committedEvents.splice(0, MAX_IDS);
		const rows = await deps.db.query.select().from(directoryOutbox).where(inArray(directoryOutbox.id, ids));
		await dispatchRows(deps, rows);
	}
}

async function dispatchRows(deps: Deps, rows: readonly OutboxRow[]): Promise<void> {
	const sent = await Promise.all(rows.map((row) => dispatchRow(deps, row)));
	const ids = sent.filter((id) => id !== null);
	if (ids.length === 0) return;
	await deps.db.idempotent.delete(directoryOutbox).where(inArray(directoryOutbox.id, ids));
}

/**
 * Dispatches the events of a row. If an event fails, the others are still dispatched. An event with many receivers is sent in pages. The
 * position is stored after each page, so that the sweep can continue there.
 *
 * @returns The row's id once every listener has finished with its events, otherwise null.
 */
async function dispatchRow(deps: Deps, row: OutboxRow): Promise<string | null> {
	for (let { events } = row; ; ) {
		const waiting = (await Promise.all(events.map((event) => dispatchEvent(deps, row, event)))).filter((event) => event !== null);
		if (waiting.length === 0) return row.id;
		const hasMoved = waiting.some((event) => !events.includes(event));
		if (hasMoved || waiting.length < events.length) {
			await deps.db.idempotent.update(directoryOutbox).set({ events: waiting }).where(eq(directoryOutbox.id, row.id));
		}
		if (!hasMoved) return null;
		events = waiting;
	}
}

/** Calls the listeners. Returns null if all have finished with the event. Otherwise returns the event with its new position, if any. */
async function dispatchEvent(deps: Deps, { createdAt }: OutboxRow, waiting: WaitingEvent): Promise<WaitingEvent | null> {
	const { id, type, payload, fanOutAfter = null } = waiting;
	try {
		const recorded = { id, createdAt, taskTime: createdAt, fanOutAfter, event: parseEvent(type, payload) };
		const unfinished = await Promise.all(deps.listeners.map((listen) => listen(deps, recorded)));
		const reached = unfinished.find((place) => place !== null);
		return reached === undefined ? null : { ...waiting, fanOutAfter: reached };
	} catch (error) {
		deps.log.error("dispatch_failed", { event_id: id, type, ...describeError(error) });
		return waiting;
	}
}

/** The age from which the sweep dispatches a row. Before that, the request that committed the row may still be dispatching it. */
const LEFT_BEHIND_MS = 15 * SECOND_MS;
const SWEEP_BATCH = 50;
/** The budget of a sweep: it ends before the next one begins a minute later, and before the limit of 1,000 calls to D1 per invocation. */
const SWEEP_MS = 40 * SECOND_MS;
const SWEEP_CALLS = 600;

/** Dispatches the rows that requests have not dispatched, oldest first, until there are no more or the budget of this run is used up. */
export async function sweepOutbox(deps: Deps): Promise<void> {
	const { db, clock } = deps;
	const startedAt = clock.now();
	let after = "";
	while (clock.now() - startedAt < SWEEP_MS && db.use.calls < SWEEP_CALLS) {
		const rows = await db.query
			.select()
			.from(directoryOutbox)
			.where(and(gt(directoryOutbox.id, after), lte(directoryOutbox.createdAt, startedAt - LEFT_BEHIND_MS)))
			.orderBy(directoryOutbox.id)
			.limit(SWEEP_BATCH);
		await dispatchRows(deps, rows);
		const last = rows.at(-1);
		if (last === undefined || rows.length < SWEEP_BATCH) return;
		// If a row cannot be dispatched, it stays in the table, and the rows after it are still dispatched.
		after = last.id;
	}
}
