/**
 * The minimum time between two leaderboards of one stream. The API promises at most two per second. The gap is a little longer than half a
 * second, because two events can arrive closer together than they were sent.
 */
export const LEADERBOARD_GAP_MS = 600;

/** The filters of the stream of new tasks. An undefined filter matches every task. */
export interface BountyFilters {
	readonly category?: readonly string[] | undefined;
	readonly min_budget_cents?: number | undefined;
	/** Reserved. Does not filter anything yet. */
	readonly tag?: readonly string[] | undefined;
	/** Only tasks whose deadline is after this time, in milliseconds since the epoch. */
	readonly deadline_after?: number | undefined;
}

/** Returns true if the task passes all filters. `deadline` is in ISO 8601. */
export function matchesFilters(
	bounty: { readonly category: string; readonly budget_cents: number; readonly deadline: string },
	{ category, min_budget_cents, deadline_after }: BountyFilters,
): boolean {
	if (category !== undefined && !category.includes(bounty.category)) return false;
	if (min_budget_cents !== undefined && bounty.budget_cents < min_budget_cents) return false;
	return deadline_after === undefined || Date.parse(bounty.deadline) > deadline_after;
}

/** The parameters that filter the stream of new tasks. */
const FILTER_NAMES = ["category", "min_budget_cents", "deadline_after"];
const MAX_IGNORED = 20;
const MAX_IGNORED_CHARACTERS = 50;

/** Lists the query parameters that have no effect on the stream of new tasks. Limits the list and the length of its names. */
export function findIgnored(parameters: URLSearchParams): string[] {
	const names = new Set([...parameters.keys()].filter((name) => !FILTER_NAMES.includes(name)));
	return [...names].slice(0, MAX_IGNORED).map((name) => [...name].slice(0, MAX_IGNORED_CHARACTERS).join(""));
}

/** For each source of a stream, the number of the state that the client has. Null if it has none. */
export type StateNumbers = readonly (number | null)[];

export type StateEventKind = "state" | "end" | "error";

/**
 * Formats the id of an event: `<number>` for a state, `<number>-end` for the terminal event after it, `<number>-error` for an error. A
 * stream of two sources has two numbers, as in `3.14`. The number is empty if a source has not sent anything yet, as in `3.`.
 */
export function formatStateId(numbers: StateNumbers, kind: StateEventKind): string {
	const place = numbers.map((number) => number ?? "").join(".");
	return kind === "state" ? place : `${place}-${kind}`;
}

const MAX_ID_CHARACTERS = 64;

/** Parses an id that {@link formatStateId} wrote for this number of sources. Returns null for anything else. */
export function parseStateId(id: string | undefined, sources: number): { numbers: StateNumbers; isEnd: boolean } | null {
	if (id === undefined || id.length > MAX_ID_CHARACTERS) return null;
	const match = /^([\d.]+)(-end|-error)?$/.exec(id);
	const parts = match?.[1]?.split(".") ?? [];
	const isPlace = parts.length === sources && parts.every((part) => part === "" || parseEntryId(part) !== null);
	const numbers = parts.map((part) => parseEntryId(part));
	if (!isPlace || numbers.every((number) => number === null)) return null;
	return { numbers, isEnd: match?.[2] === "-end" };
}

/** Parses the number of a topic's entry, which is also the id of its event. Returns null for anything else. */
export function parseEntryId(id: string | undefined): number | null {
	return id !== undefined && /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : null;
}

/**
 * Returns how long a state must wait, in milliseconds, so that it is sent at least `gapMs` after the previous one.
 *
 * @param sentAt When the last state was sent, in milliseconds since the epoch. Null before the first.
 */
export function waitBeforeNext({ now, sentAt, gapMs }: { now: number; sentAt: number | null; gapMs: number }): number {
	return sentAt === null ? 0 : Math.max(0, sentAt + gapMs - now);
}
