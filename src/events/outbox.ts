import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { selectValues } from "../db/insert-select.ts";
import { outbox } from "../db/schema/events.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { EventInsert } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Builds the statement that records events. It belongs in the `commit` of the change that caused them,
 * after which events/dispatch.ts sends them on at the end of the request, message or alarm.
 */
export function recordEvents(deps: Deps, events: readonly DomainEvent[]): EventInsert {
	const now = deps.clock.now();
	const rows = events.map(({ type, ...payload }) => ({ id: deps.ids.next(), type, payload: JSON.stringify(payload), createdAt: now }));
	return { eventIds: rows.map(({ id }) => id), insert: deps.db.query.insert(outbox).values(rows) };
}

/** Like {@link recordEvents} for one event that only happens if a condition holds when the batch runs. */
export function recordEventIf(deps: Deps, { type, ...payload }: DomainEvent, condition: SQL): EventInsert {
	const id = deps.ids.next();
	const row = { id, type, payload: JSON.stringify(payload), createdAt: deps.clock.now(), fanOutAfter: null };
	return {
		eventIds: [id],
		isConditional: true,
		insert: deps.db.query.insert(outbox).select(selectValues(outbox, row, sql`where ${condition}`)),
	};
}
