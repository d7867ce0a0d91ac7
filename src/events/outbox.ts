import { outbox } from "../db/schema/events.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { EventInsert } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/** The events of what is in D1. Those of a task are in the outbox of its object. */
export type StoredEvent = DomainEvent<"deal.created" | "deal.updated">;

/**
 * Builds the statement that records events, in one row. It belongs in the `commit` of the change that caused them,
 * after which events/dispatch.ts sends them on at the end of the request or sweep.
 */
export function recordEvents(deps: Deps, events: readonly StoredEvent[]): EventInsert {
	const row = newRow(deps, events);
	return { outboxId: row.id, insert: deps.db.query.insert(outbox).values(row) };
}

function newRow(deps: Deps, events: readonly StoredEvent[]) {
	const waiting = events.map(({ type, ...payload }) => ({ id: deps.ids.next(), type, payload }));
	return { id: waiting[0]?.id ?? deps.ids.next(), events: waiting, createdAt: deps.clock.now() };
}
