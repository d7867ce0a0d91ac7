import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { selectValues } from "../db/insert-select.ts";
import { outbox } from "../db/schema/events.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { EventInsert } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Builds the statement that records events, in one row. It belongs in the `commit` of the change that caused them,
 * after which events/dispatch.ts sends them on at the end of the request, message or alarm.
 */
export function recordEvents(deps: Deps, events: readonly DomainEvent[]): EventInsert {
	const row = newRow(deps, events);
	return { outboxId: row.id, insert: deps.db.query.insert(outbox).values(row) };
}

/** Like {@link recordEvents} for one event that only happens if a condition holds when the batch runs. */
export function recordEventIf(deps: Deps, event: DomainEvent, condition: SQL): EventInsert {
	const { events, ...row } = newRow(deps, [event]);
	return {
		outboxId: row.id,
		isConditional: true,
		insert: deps.db.query.insert(outbox).select(selectValues(outbox, { ...row, events: JSON.stringify(events) }, sql`where ${condition}`)),
	};
}

function newRow(deps: Deps, events: readonly DomainEvent[]) {
	const waiting = events.map(({ type, ...payload }) => ({ id: deps.ids.next(), type, payload }));
	return { id: waiting[0]?.id ?? deps.ids.next(), events: waiting, createdAt: deps.clock.now() };
}
