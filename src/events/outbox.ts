import type { Statement } from "../db/client.ts";
import { outbox } from "../db/schema/events.ts";
import type { Deps } from "../deps.ts";
import type { DomainEvent } from "./domain.ts";

/** The statement that records an event; it belongs into the batch of the change that the event tells of. */
export function recordEvents(deps: Deps, events: readonly DomainEvent[]): Statement {
	const now = deps.clock.now();
	return deps.db.query
		.insert(outbox)
		.values(events.map(({ type, ...payload }) => ({ id: deps.ids.next(), type, payload: JSON.stringify(payload), createdAt: now })));
}
