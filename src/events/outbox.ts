import { directoryOutbox } from "../db/schema/events.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { EventInsert } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Builds the statement that records events of deals in one row. It belongs in the `commit` of the change that causes them. At the end of
 * the request or sweep, events/dispatch.ts dispatches them. Events of tasks are in the outbox of their Task objects instead.
 */
export function recordEvents(deps: Deps, events: readonly DomainEvent<"deal.created" | "deal.updated">[]): EventInsert {
	const waiting = events.map(({ type, ...payload }) => ({ id: deps.ids.next(), type, payload }));
	const row = { id: waiting[0]?.id ?? deps.ids.next(), events: waiting, createdAt: deps.clock.now() };
	return { outboxId: row.id, insert: deps.db.query.insert(directoryOutbox).values(row) };
}
