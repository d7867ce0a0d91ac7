import { eq, inArray, lte } from "drizzle-orm";
import { outbox } from "../db/schema/events.ts";
import { parseEvent } from "../domain/events.ts";
import { SECOND_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";

/** D1 takes at most 100 parameters. */
const MAX_IDS = 50;

type OutboxRow = typeof outbox.$inferSelect;

/**
 * Sends on the events that this request, message or alarm has committed. {@link sweepOutbox} finds what
 * is left behind because the Worker died or a listener failed.
 */
export async function dispatchRecorded(deps: Deps): Promise<void> {
	// A listener may commit events itself.
	while (deps.db.committedEvents.length > 0) {
		const ids = deps.db.committedEvents.splice(0, MAX_IDS);
		const rows = await deps.db.query.select().from(outbox).where(inArray(outbox.id, ids));
		await dispatchRows(deps, rows);
	}
}

async function dispatchRows(deps: Deps, rows: readonly OutboxRow[]): Promise<void> {
	const sent = await Promise.all(rows.map((row) => dispatchRow(deps, row)));
	const ids = sent.filter((id) => id !== null);
	if (ids.length === 0) return;
	await deps.db.query.delete(outbox).where(inArray(outbox.id, ids));
}

/** Goes on with an event that has more subscriptions than one go takes. */
export async function dispatchEvent(deps: Deps, eventId: string): Promise<void> {
	const rows = await deps.db.query.select().from(outbox).where(eq(outbox.id, eventId));
	await dispatchRows(deps, rows);
}

/**
 * Returns the event's id once every listener has finished with it, or null. Listeners may hear of an event again.
 * One event that fails does not hold up the others.
 */
async function dispatchRow(deps: Deps, row: OutboxRow): Promise<string | null> {
	try {
		const event = parseEvent(row.type, JSON.parse(row.payload));
		const recorded = { id: row.id, createdAt: row.createdAt, fanOutAfter: row.fanOutAfter, event };
		const unfinished = await Promise.all(deps.listeners.map((listen) => listen(deps, recorded)));
		const reached = unfinished.find((place) => place !== null);
		if (reached === undefined) return row.id;
		await deps.db.query.update(outbox).set({ fanOutAfter: reached }).where(eq(outbox.id, row.id));
		await deps.queues.webhooks.send({ eventId: row.id });
		return null;
	} catch (error) {
		deps.log.error("dispatch_failed", { event_id: row.id, type: row.type, ...describeError(error) });
		return null;
	}
}

/** The live path has had its chance by then. */
const LEFT_BEHIND_MS = 15 * SECOND_MS;
const SWEEP_BATCH = 50;

/** The safety net: sends on what was left behind, oldest first. */
export async function sweepOutbox(deps: Deps): Promise<void> {
	const rows = await deps.db.query
		.select()
		.from(outbox)
		.where(lte(outbox.createdAt, deps.clock.now() - LEFT_BEHIND_MS))
		.orderBy(outbox.id)
		.limit(SWEEP_BATCH);
	await dispatchRows(deps, rows);
}
