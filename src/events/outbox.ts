import { directoryOutbox } from "../db/schema/events.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { EventInsert } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Builds the statement that records events of deals in one row. It belongs in the `commit` of the change that caused them, and
 * events/dispatch.ts sends the events at the end of the request or sweep. The events of a task are in the outbox of its object instead.
 */
export function recordEvents(deps: Deps, events: readonly DomainEvent<"deal.created" | "deal.updated">[]): EventInsert {
	const waiting = events.map(({ type, ...payload }) => ({ id: deps.ids.next(), type, payload }));
	const row = { id: waiting[0]?.id ?? deps.ids.next(), events: waiting, createdAt: deps.clock.now() };
	return { outboxId: row.id, insert: deps.db.query.insert(directoryOutbox).values(row) };
}
