import { outbox } from "../db/schema/events.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { Statement } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * The statement that records events; it belongs into the batch of the change that they tell of.
 * Once that batch is committed they are sent on at the end of the request, message or alarm (events/dispatch.ts).
 */
export function recordEvents(deps: Deps, events: readonly DomainEvent[]): Statement {
	const now = deps.clock.now();
	const rows = events.map(({ type, ...payload }) => ({ id: deps.ids.next(), type, payload: JSON.stringify(payload), createdAt: now }));
	deps.recordedEvents.push(...rows.map(({ id }) => id));
	return deps.db.query.insert(outbox).values(rows);
}
