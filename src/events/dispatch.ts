import { and, eq, gt, inArray, lte } from "drizzle-orm";
import { directoryOutbox, type WaitingEvent } from "../db/schema/events.ts";
import { parseEvent } from "../domain/events.ts";
import { SECOND_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";

/** D1 takes at most 100 parameters. */
const MAX_IDS = 50;

type OutboxRow = typeof directoryOutbox.$inferSelect;

/**
 * Dispatches the events that this request, message or alarm has committed. If the Worker dies or a listener fails, {@link sweepOutbox}
 * finds the rest.
 */
export async function dispatchRecorded(deps: Deps): Promise<void> {
	// A listener may commit events itself.
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
 * Dispatches the events of a row. An event that fails does not hold up the others. An event with many receivers is sent in pages, and its
 * place is stored after each page, so that the sweep continues there.
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

/** Returns null once every listener has finished with the event, otherwise the event with its new place. Listeners may be called again. */
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

/** Younger rows are still being dispatched by the request that committed them. */
const LEFT_BEHIND_MS = 15 * SECOND_MS;
const SWEEP_BATCH = 50;
/** A sweep ends before the next one begins a minute later, and before an invocation's limit of 1,000 calls to D1. */
const SWEEP_MS = 40 * SECOND_MS;
const SWEEP_CALLS = 600;

/** Dispatches the rows that requests have left, oldest first, until none is left or the budget of the run is used up. */
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
		// A row that cannot be dispatched stays, and does not hold up those behind it.
		after = last.id;
	}
}
