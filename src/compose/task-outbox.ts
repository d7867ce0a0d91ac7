// A Task object's outbox can contain events and listener positions that only another version of the platform knows. They "rest": they stay
// in their rows without delaying anything. So the queries here select only what this version knows.
import { and, asc, gt, lte, sql } from "drizzle-orm";
import { isOneOf, prepareOnce } from "../db/task/prepared.ts";
import { outbox, type TaskOutboxEvent } from "../db/task/schema/task.ts";
import { EVENT_NAMES } from "../domain/events.ts";
import type { TaskListener } from "../ports/joints.ts";

const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_NAMES);
const NO_IDS: readonly string[] = [];

/** The values of a row whose cards have been written and whose events must still be sent. */
export const WITHOUT_CARDS = { isTaskChanged: false, submissionIds: NO_IDS, memberIds: NO_IDS, locatedIds: NO_IDS, acts: [] };

/** The parameters of the queries below: what this version knows. */
export function knownTo(listeners: readonly TaskListener[]): { readonly types: string; readonly listeners: string } {
	return { types: JSON.stringify(EVENT_NAMES), listeners: JSON.stringify(listeners.map(({ name }) => name)) };
}

/** Returns false for an event that rests: this version does not know its type, or knows none of the listeners that still need it. */
export function isDue({ type, places }: TaskOutboxEvent, listeners: readonly TaskListener[]): boolean {
	return KNOWN_TYPES.has(type) && (places === undefined || listeners.some(({ name }) => Object.hasOwn(places, name)));
}

/** True for rows with at least one event for which {@link isDue} is true. */
const hasDueEvent = sql`exists (
	select 1 from json_each(${outbox.events}) as event
	where event.value ->> 'type' in (select value from json_each(${sql.placeholder("types")}))
	and (
		event.value -> 'places' is null
		or exists (
			select 1 from json_each(event.value -> 'places') as place
			where place.key in (select value from json_each(${sql.placeholder("listeners")}))
		)
	)
)`;

/** True for rows with something to send, and for rows with nothing left, because they must be deleted. */
const isOwed = sql`(
	${outbox.isTaskChanged} or ${outbox.events} = '[]' or ${outbox.submissionIds} <> '[]' or ${outbox.memberIds} <> '[]'
	or ${outbox.locatedIds} <> '[]' or ${outbox.acts} <> '[]' or ${hasDueEvent}
)`;

/** Rows whose cards have not been written yet. */
export const uncardedQuery = prepareOnce((db) =>
	db
		.select()
		.from(outbox)
		.where(and(gt(outbox.id, sql.placeholder("after")), isOwed))
		.orderBy(asc(outbox.id))
		.limit(sql.placeholder("limit"))
		.prepare(),
);

/** Rows whose cards have been written. */
export const unsentQuery = prepareOnce((db) =>
	db
		.select()
		.from(outbox)
		.where(and(lte(outbox.id, sql.placeholder("upTo")), isOwed))
		.orderBy(asc(outbox.id))
		.limit(sql.placeholder("limit"))
		.prepare(),
);

/** The oldest row that has something to send. It has the smallest id, because row ids begin with the time. */
export const owedQuery = prepareOnce((db) =>
	db.select({ createdAt: outbox.createdAt }).from(outbox).where(isOwed).orderBy(asc(outbox.id)).limit(1).prepare(),
);

export const deleteSent = prepareOnce((db) => db.delete(outbox).where(isOneOf(outbox.id, "ids")).prepare());
