// The breaker opens for a supplier that is down for all submissions, and closes with the first answer.
import { describe, expect, it } from "vitest";
import { findWait } from "../../src/core/judging/breaker/reports.ts";
import {
	addAnswer,
	addFault,
	BREAKER,
	hasFaults,
	lookAgainMs,
	type SupplierRecord,
	TRY_EVERY_MS,
	takeTry,
	UNTROUBLED,
} from "../../src/core/judging/breaker/rules.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/clock.ts";

const T = 1_800_000_000_000;

/** Adds a fault of each of these submissions, a second apart. */
function faultsOf(subjects: readonly string[], record: SupplierRecord = UNTROUBLED, from = T, everyMs = SECOND_MS): SupplierRecord {
	return subjects.reduce(
		(after, subjectId, index) => addFault(after, { at: from + index * everyMs, subjectId, words: `fault ${index}`, answeredAt: null }),
		record,
	);
}

const OUTAGE = ["a", "b", "c", "a", "b"];

describe("the breaker opens", () => {
	it("with five faults of three submissions within a minute, and not with fewer of either", () => {
		expect(faultsOf(OUTAGE)).toMatchObject({ openSince: T + 4 * SECOND_MS, words: "fault 4" });
		expect(faultsOf(OUTAGE.slice(0, 4)).openSince).toBeNull();
		expect(faultsOf(["a", "b", "a", "b", "a", "b", "a", "b"]).openSince).toBeNull();
		expect(faultsOf(Array.from({ length: 100 }, () => "a")).openSince).toBeNull();
	});

	it("not if they take longer", () => {
		expect(faultsOf(OUTAGE, UNTROUBLED, T, BREAKER.withinMs / 4).openSince).toBeNull();
		expect(faultsOf(OUTAGE, UNTROUBLED, T, BREAKER.withinMs / 4 - 1).openSince).not.toBeNull();
	});

	it("not if a call was answered between them, in any isolate", () => {
		const four = faultsOf(OUTAGE.slice(0, 4));
		expect(faultsOf(["c"], addAnswer(four, T + 2 * SECOND_MS), T + 4 * SECOND_MS).openSince).toBeNull();
		const last = { at: T + 4 * SECOND_MS, subjectId: "c", words: null };
		expect(addFault(four, { ...last, answeredAt: T + 2 * SECOND_MS }).openSince).toBeNull();
		expect(addFault(four, { ...last, answeredAt: T - 1 }).openSince).not.toBeNull();
	});

	it("once, and keeps the time when it did", () => {
		const open = faultsOf(OUTAGE);
		expect(faultsOf(OUTAGE, open, T + 10 * MINUTE_MS).openSince).toBe(open.openSince);
	});
});

describe("an open supplier", () => {
	const open = faultsOf(OUTAGE);
	const since = open.openSince ?? 0;

	it("is tried by one caller a minute, the first a minute after it opened", () => {
		expect(takeTry(open, since + TRY_EVERY_MS - 1).taken).toEqual({ openSince: since, mayTry: false, nextTryAt: since + TRY_EVERY_MS });
		const first = takeTry(open, since + TRY_EVERY_MS);
		expect(first.taken).toMatchObject({ mayTry: true, nextTryAt: since + 2 * TRY_EVERY_MS });
		expect(takeTry(first.record, since + TRY_EVERY_MS).taken.mayTry).toBe(false);
		expect(takeTry(first.record, since + 2 * TRY_EVERY_MS).taken.mayTry).toBe(true);
		expect(takeTry(UNTROUBLED, T).taken).toMatchObject({ openSince: null, mayTry: false });
	});

	it("is closed by an answer to a call that was sent since, and by no earlier one", () => {
		expect(addAnswer(open, since - 1).openSince).toBe(since);
		expect(addAnswer(open, since)).toEqual({ ...UNTROUBLED, answeredAt: since });
	});

	it("wants reports until it is closed, others for a minute after their last fault", () => {
		expect(hasFaults(open, since + HOUR_MS)).toBe(true);
		expect(hasFaults(addAnswer(open, since), since)).toBe(false);
		const one = faultsOf(["a"]);
		expect([hasFaults(one, T), hasFaults(one, T + MINUTE_MS)]).toEqual([true, false]);
	});
});

describe("two suppliers that an evaluation needs", () => {
	const judges = [{ models: ["compatible:one/a"], confirmer: "compatible:two/b" }];

	/** Takes the turn of an attempt at each supplier. A supplier that the attempt calls is well again. */
	function attempt(records: Map<string, SupplierRecord>, now: number): { readonly calls: boolean } {
		const turns = [...records].map(([name, record]) => ({ name, ...takeTry(record, now) }));
		for (const { name, record } of turns) records.set(name, record);
		const findOutage = (supplier: string) => {
			const { openSince = null, mayTry = false } = turns.find(({ name }) => name === supplier)?.taken ?? {};
			return openSince === null ? null : { since: openSince, mayTry, words: null };
		};
		const calls = findWait(judges, { findOutage, noteFault() {}, noteAnswer() {} }) === null;
		for (const { name, taken } of turns) if (calls && taken.mayTry) records.set(name, UNTROUBLED);
		return { calls };
	}

	it("are both tried, even if the minutes of their tries begin at different times", () => {
		const records = new Map([
			["one", faultsOf(OUTAGE)],
			["two", faultsOf(OUTAGE, UNTROUBLED, T + 30 * SECOND_MS)],
		]);
		for (let now = T + 40 * SECOND_MS; now < T + 3 * MINUTE_MS; now += 10 * SECOND_MS) attempt(records, now);
		expect([...records.values()]).toEqual([UNTROUBLED, UNTROUBLED]);
		expect(attempt(records, T + 3 * MINUTE_MS)).toEqual({ calls: true });
	});

	it("make an attempt wait while one is down and may not be tried", () => {
		const down = { since: T, mayTry: false, words: null };
		const reports = { findOutage: (supplier: string) => (supplier === "two" ? down : null), noteFault() {}, noteAnswer() {} };
		expect(findWait(judges, reports)).toMatchObject({ reason: "supplier", breaker: "open" });
	});
});

describe("a job that waits for a supplier", () => {
	it("looks again after 1 to 10 minutes, later and later, and half of it by chance", () => {
		const spans = [0, 4, 10, 20, 60, 600].map((minutes) => [0, 1].map((chance) => lookAgainMs(minutes * MINUTE_MS, chance) / MINUTE_MS));
		expect(spans).toEqual([
			[1, 2],
			[1, 2],
			[2.5, 5],
			[5, 10],
			[5, 10],
			[5, 10],
		]);
	});
});
