// Tests how the console shows received submissions: quotes in files, shortlist and notes, comparisons, deals.
import { describe, expect, it } from "vitest";
import { pairCriteria, togglePair } from "../../console/src/rules/compare.ts";
import { countArrivals, countByDay, lastDays } from "../../console/src/rules/days.ts";
import {
	actsOf,
	awaitsPayment,
	describeNext,
	describeSide,
	describeStep,
	formatUsdc,
	isDealOver,
	isTransactionHash,
	titleOf,
} from "../../console/src/rules/deals.ts";
import { parseExpected, parseScore } from "../../console/src/rules/expected.ts";
import { chooseFile } from "../../console/src/rules/files.ts";
import { criteriaOf, scoreOn, sortByCriterion } from "../../console/src/rules/heat.ts";
import { placeQuotes, type Quote, readQuotes, segmentLine, splitLines } from "../../console/src/rules/quotes.ts";
import { applyChange, EMPTY_REVIEW, parseReview } from "../../console/src/rules/review.ts";
import { readTaskView } from "../../console/src/rules/task-views.ts";
import { nameOfPath, showHidden } from "../../console/src/rules/text.ts";
import { canDealMove, canPartyMove, DEAL_STATUSES, DEAL_TRANSITIONS, type DealStatus } from "../../src/domain/deal-status.ts";
import { formatBytes, formatChange } from "../../src/domain/formats.ts";

const TEXT = "def parse(text):\r\n\trows = split(text)\n\treturn rows  # quotes\rdone";

function quoteAt(start: number, end: number, text: string): Quote {
	return { criterion: "Parser", path: "parser.py", start, end, text };
}

/** Returns the marked text of each line. */
function marked(text: string, ...quotes: readonly Quote[]): Record<number, readonly string[]> {
	const lines = splitLines(text);
	return Object.fromEntries(
		[...placeQuotes(lines, quotes)].map(([line, spans]) => [
			line,
			segmentLine(lines[line - 1] ?? "", spans)
				.filter((segment) => segment.quotes.length > 0)
				.map((segment) => segment.text),
		]),
	);
}

describe("quotes", () => {
	it("come from the answers to checks, each place once, and those of a sealed task have no text", () => {
		const at = { path: "a.py", start: 1, end: 2 };
		const answered = (...evidence: { path: string; start: number; end: number; quote?: string }[]) => ({
			check: "c",
			found: "yes" as const,
			evidence,
		});
		const quotes = readQuotes([
			{ criterion_name: "Parser", checks: [answered({ ...at, quote: "x" }), answered({ ...at, quote: "x" }, at)] },
			{ criterion_name: "Tests" },
		]);
		expect(quotes).toEqual([
			{ criterion: "Parser", ...at, text: "x" },
			{ criterion: "Parser", ...at, text: "" },
		]);
	});

	it("count lines as the judge does", () => {
		expect(splitLines(TEXT)).toHaveLength(4);
	});

	it("mark the quoted words for any indentation, also over lines", () => {
		expect(marked(TEXT, quoteAt(2, 2, "rows=split(text)"))).toEqual({ 2: ["rows = split(text)"] });
		expect(marked(TEXT, quoteAt(2, 3, "split(text)\nreturn rows"))).toEqual({ 2: ["split(text)"], 3: ["return rows"] });
	});

	it("mark whole lines if the words are not found, and nothing beyond the file", () => {
		expect(marked(TEXT, quoteAt(4, 90, "something else"))).toEqual({ 4: ["done"] });
		expect(marked(TEXT, quoteAt(50, 60, "done"))).toEqual({});
		expect(marked(TEXT, quoteAt(-5, 0, "done"))).toEqual({});
	});

	it("mark overlapping quotes separately, and lose no character", () => {
		const lines = ["one two three"];
		const spans = placeQuotes(lines, [quoteAt(1, 1, "one two"), { ...quoteAt(1, 1, "two three"), criterion: "Other" }]).get(1) ?? [];
		const segments = segmentLine("one two three", spans);
		expect(segments.map(({ text }) => text).join("")).toBe("one two three");
		expect(segments.map(({ text, quotes }) => [text, quotes.map(({ criterion }) => criterion)])).toEqual([
			["one ", ["Parser"]],
			["two", ["Parser", "Other"]],
			[" three", ["Other"]],
		]);
	});
});

describe("text of strangers", () => {
	it("has visible characters instead of those that reorder or hide", () => {
		expect(showHidden("a\u202eb\u0000\ufeff\tc\n")).toBe("a⟨U+202E⟩b⟨U+0000⟩⟨U+FEFF⟩\tc\n");
		expect(showHidden("família 👩‍👧 نص")).toBe("família 👩‍👧 نص");
	});

	it("names files and sizes", () => {
		expect(["a/b/c.txt", "c.txt"].map(nameOfPath)).toEqual(["c.txt", "c.txt"]);
		expect([900, 4300, 1_572_864].map(formatBytes)).toEqual(["900 B", "4.2 KB", "1.5 MB"]);
	});

	it("opens the requested file, or the first one with content", () => {
		const files = ["LICENSE", "SUBMISSION.md", "a.py"].map((path) => ({ path, size_bytes: 1 }));
		expect(chooseFile(files, "a.py", [])).toBe("a.py");
		expect(chooseFile(files, "gone.py", ["gone.py", "a.py"])).toBe("a.py");
		expect(chooseFile(files, null, [])).toBe("SUBMISSION.md");
		expect(chooseFile(files.slice(0, 1), null, [])).toBe("LICENSE");
		expect(chooseFile([], null, ["a.py"])).toBe(null);
	});
});

describe("the shortlist and the notes", () => {
	it("forget a submission without an opinion, and read nothing of other programs", () => {
		const stored = applyChange(EMPTY_REVIEW, { submissionId: "a", shortlisted: true });
		expect(applyChange(stored, { submissionId: "a", shortlisted: false })).toEqual(EMPTY_REVIEW);
		expect([null, [], {}, { version: 2, submissions: {} }].map(parseReview)).toEqual([null, null, null, null]);
	});
});

describe("side by side", () => {
	it("pairs the criteria of both", () => {
		const left = [{ criterion_name: "A", weight: 60, score: 80.04 }];
		const right = [
			{ criterion_name: "B", weight: 40, score: 10 },
			{ criterion_name: "A", weight: 60, score: 75.5 },
		];
		expect(pairCriteria(left, right)).toEqual([
			{ name: "A", weight: 60, left: 80.04, right: 75.5, difference: -4.54 },
			{ name: "B", weight: 40, left: null, right: 10, difference: null },
		]);
		expect([4.5, -2, 0, -0.001].map(formatChange)).toEqual(["+4.50", "-2.00", "0.00", "0.00"]);
	});

	it("chooses at most two, the newest ones", () => {
		expect(["a", "b", "c"].reduce<readonly string[]>(togglePair, [])).toEqual(["b", "c"]);
		expect(togglePair(["a", "b"], "a")).toEqual(["b"]);
	});
});

describe("deals", () => {
	it("say who pays whom, and name a task without a title", () => {
		const names = { poster_name: "Acme", agent_display_name: "Ada" };
		const sides = (status: DealStatus) => [describeSide({ ...names, status }, "poster"), describeSide({ ...names, status }, "agent")];
		expect(sides("accepted")).toEqual(["You pay Ada", "Acme pays you"]);
		for (const status of ["recorded", "declined"] as const) expect(sides(status)).toEqual(["You would pay Ada", "Acme would pay you"]);
		expect([titleOf("Parse CSV"), titleOf("")]).toEqual(["Parse CSV", "A task"]);
	});

	it("ask the poster to pay once the agent has a wallet, and has proved one that it can prove", () => {
		const next = (payout: Parameters<typeof describeNext>[0]["payout"]) => describeNext({ status: "accepted", payout }, "poster");
		expect(next(null)).toContain("as soon as it has a wallet");
		expect(next({ method: "onchain_usdc", verified_at: null })).toContain("as soon as it has verified its wallet");
		expect(next({ method: "onchain_usdc", verified_at: "2026-11-28T09:00:00.000Z" })).toContain("Pay, then report");
		expect(next({ method: "coinbase_commerce", verified_at: null })).toContain("Pay, then report");
	});

	it.each(DEAL_STATUSES)("offer each side what the platform allows while they are %s", (status) => {
		const { record: _, ...steps } = DEAL_TRANSITIONS;
		for (const role of ["poster", "agent"] as const) {
			const allowed = Object.entries(steps).filter(([, step]) => canDealMove(status, step) && canPartyMove(role, step));
			expect(actsOf(status, role).toSorted()).toEqual(allowed.map(([name]) => name).toSorted());
		}
	});

	it("wait for a payment until it is reported", () => {
		expect(DEAL_STATUSES.filter(awaitsPayment)).toEqual(["recorded", "accepted"]);
	});

	it("can be paid with a reference that is not the hash of a transaction", () => {
		expect([`0x${"aB".repeat(32)}`, ` 0x${"1".repeat(64)} `, "0xabc", "Invoice 7"].map(isTransactionHash)).toEqual([
			true,
			true,
			false,
			false,
		]);
	});

	it("have a history from the reader's side", () => {
		expect(describeStep("agent", "accepted", "poster")).toBe("The agent accepted");
		expect(describeStep("agent", "accepted", "agent")).toBe("You accepted");
		expect(describeStep("platform", "payment_verified", "poster")).toBe("The platform found the payment on the chain");
		expect(describeStep("platform", "address_shown", "poster")).toBe("The deal began to show the agent's wallet");
	});

	it("show the exact amount of a payment", () => {
		expect(["90004711", "4711", "22500000001"].map(formatUsdc)).toEqual(["90.004711", "0.004711", "22500.000001"]);
	});

	it("offer nothing in their final states", () => {
		expect(DEAL_STATUSES.filter(isDealOver)).toEqual(["declined", "received", "disputed"]);
	});
});

describe("forms", () => {
	it("read the scores that a poster expects", () => {
		expect(parseExpected({ A: "80", B: " ", C: "0" })).toEqual({ A: 80, C: 0 });
		expect(parseExpected({ A: "80", B: "101" })).toBe(null);
		expect(["100", "99.5", "-1", "x", ""].map(parseScore)).toEqual([100, 99.5, null, null, null]);
	});

	it("know the views of a task", () => {
		expect([readTaskView("deal"), readTaskView("other"), readTaskView(1)]).toEqual(["deal", undefined, undefined]);
	});
});

describe("the heat map", () => {
	const row = (id: string, ...scores: readonly (readonly [string, number])[]) => ({
		id,
		criteria: scores.map(([criterion_name, score]) => ({ criterion_name, score })),
	});
	const rows = [row("a"), row("b", ["Tests", 10], ["Style", 80]), row("c", ["Style", 20], ["Tests", 90])];

	it("has a column for each criterion, and sorts by one with rows without a score last", () => {
		expect(criteriaOf(rows)).toEqual(["Tests", "Style"]);
		expect(rows.map((one) => scoreOn(one, "Style"))).toEqual([null, 80, 20]);
		expect(sortByCriterion(rows, "Tests").map(({ id }) => id)).toEqual(["c", "b", "a"]);
		expect(sortByCriterion(rows, "Unknown").map(({ id }) => id)).toEqual(["a", "b", "c"]);
		const many = row("m", ...Array.from({ length: 12 }, (_, index) => [`C${index}`, 1] as const));
		expect(criteriaOf([many])).toHaveLength(8);
	});
});

describe("the charts of a task", () => {
	it("count the submissions of each day, also days without any", () => {
		const days = lastDays(Date.parse("2026-12-01T23:59:00Z"), 3);
		expect(days).toEqual(["2026-11-29", "2026-11-30", "2026-12-01"]);
		const rows = [
			{ day: "2026-12-01", submissions: 2 },
			{ day: "2026-12-01", submissions: 3 },
			{ day: "2026-10-01", submissions: 9 },
		];
		expect(countByDay(rows, days).map(({ count }) => count)).toEqual([0, 0, 5]);
	});

	it("count by hour while the task is young, and by day from its publication on afterwards", () => {
		const byHour = [{ hour: "2026-12-01T10:00:00.000Z", submissions: 4 }];
		const byDay = [{ day: "2026-12-01", submissions: 4 }];
		const published = Date.parse("2026-12-01T09:30:00Z");
		const arrivalsAfter = (hours: number) => countArrivals({ byHour, byDay }, { published, now: published + hours * 3_600_000, shown: 30 });
		expect(arrivalsAfter(1)).toEqual({
			unit: "hour",
			points: [
				{ name: "1 Dec, 09:00", value: 0 },
				{ name: "1 Dec, 10:00", value: 4 },
			],
		});
		expect(arrivalsAfter(0).points.map(({ name }) => name)).toEqual(["1 Dec, 08:00", "1 Dec, 09:00"]);
		expect(arrivalsAfter(46).points).toHaveLength(47);
		expect(arrivalsAfter(50)).toEqual({
			unit: "day",
			points: [
				{ name: "1 Dec", value: 4 },
				{ name: "2 Dec", value: 0 },
				{ name: "3 Dec", value: 0 },
			],
		});
		expect(arrivalsAfter(24 * 100).points).toHaveLength(30);
	});
});
