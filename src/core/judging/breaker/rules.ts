// Decides when to stop calling a supplier of models, and when to call it again.
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import type { SupplierFault, SupplierTry } from "../../../ports/watch.ts";

/** The breaker opens after this many faults from this many submissions within `withinMs`, unless a call succeeded in between. */
export const BREAKER = { faults: 5, submissions: 3, withinMs: MINUTE_MS } as const;

/** While a supplier's breaker is open, one attempt per interval may try the supplier. */
export const TRY_EVERY_MS = MINUTE_MS;

/** How long an isolate caches the states of suppliers. It is the same time as for the operators' switches. */
export const SUPPLIERS_FRESH_MS = 7 * SECOND_MS;

/** The maximum number of faults that are stored. More would hardly affect the decision. */
const KEPT_FAULTS = 20;

/** What the object `Watch` stores about a supplier. Times are in milliseconds since the epoch. */
export interface SupplierRecord {
	/** The faults within the last minute that came after the last success, oldest first. */
	readonly faults: readonly Pick<SupplierFault, "at" | "subjectId">[];
	/** When the last successful call was sent. Null if there was none. */
	readonly answeredAt: number | null;
	readonly openSince: number | null;
	readonly triedAt: number | null;
	readonly words: string | null;
}

export const UNTROUBLED: SupplierRecord = { faults: [], answeredAt: null, openSince: null, triedAt: null, words: null };

/** Adds a fault for which the supplier is to blame: the control question failed too, or no submission can cause such a fault. */
export function addFault(record: SupplierRecord, { at, subjectId, words, answeredAt }: Omit<SupplierFault, "supplier">): SupplierRecord {
	const last = latest(record.answeredAt, answeredAt);
	const faults = keepRecent([...record.faults, { at, subjectId }], { now: at, after: last });
	const changed = { ...record, faults, answeredAt: last, words: words ?? record.words };
	const isOutage = faults.length >= BREAKER.faults && new Set(faults.map((fault) => fault.subjectId)).size >= BREAKER.submissions;
	// The first try follows a minute later, because the faults count as a try.
	return isOutage && record.openSince === null ? { ...changed, openSince: at, triedAt: at } : changed;
}

/** Adds a success. It does not close the breaker if its call was sent before the breaker opened. */
export function addAnswer(record: SupplierRecord, sentAt: number): SupplierRecord {
	const answeredAt = latest(record.answeredAt, sentAt);
	const faults = record.faults.filter(({ at }) => at > sentAt);
	if (record.openSince === null) return { ...record, answeredAt, faults };
	return sentAt < record.openSince ? { ...record, answeredAt } : { ...UNTROUBLED, answeredAt };
}

/** Lets one caller per minute try a supplier whose breaker is open. */
export function takeTry(record: SupplierRecord, now: number): { readonly record: SupplierRecord; readonly taken: SupplierTry } {
	const { openSince, triedAt } = record;
	if (openSince === null) return { record, taken: { openSince, mayTry: false, nextTryAt: now } };
	const nextTryAt = (triedAt ?? openSince) + TRY_EVERY_MS;
	if (now < nextTryAt) return { record, taken: { openSince, mayTry: false, nextTryAt } };
	return { record: { ...record, triedAt: now }, taken: { openSince, mayTry: true, nextTryAt: now + TRY_EVERY_MS } };
}

/** Returns true while isolates must report successful calls: if the breaker is open, or if recent faults count towards opening it. */
export function hasFaults({ faults, openSince }: SupplierRecord, now: number): boolean {
	return openSince !== null || keepRecent(faults, { now, after: null }).length > 0;
}

function keepRecent(
	faults: SupplierRecord["faults"],
	{ now, after }: { readonly now: number; readonly after: number | null },
): SupplierRecord["faults"] {
	const isCounted = (at: number) => at > now - BREAKER.withinMs && (after === null || at > after);
	return faults.filter(({ at }) => isCounted(at)).slice(-KEPT_FAULTS);
}

function latest(one: number | null, other: number | null): number | null {
	return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

const LOOK_AGAIN = { min: 2 * MINUTE_MS, max: 10 * MINUTE_MS } as const;

/**
 * Returns how long a job waits if the supplier does not say how long: a quarter to half of the job's total wait so far, but at least 1
 * minute and at most 10. The time is random within this range, so that jobs do not all come back at once.
 *
 * @param chance A random number from 0 to 1.
 */
export function lookAgainMs(waitedMs: number, chance: number): number {
	const whole = Math.min(LOOK_AGAIN.max, Math.max(LOOK_AGAIN.min, waitedMs / 2));
	return Math.ceil((whole / 2) * (1 + chance));
}
