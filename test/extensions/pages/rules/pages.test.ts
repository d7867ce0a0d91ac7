import { describe, expect, it } from "vitest";
import { distributionOf } from "../../../../src/domain/charts/bars.ts";
import { formatInstant } from "../../../../src/domain/formats.ts";
import { describeBoardChange, keysOf, movesBetween, type PublicBoardEntry } from "../../../../src/extensions/pages/board-rules.ts";
import { cutLongText, findBusiest, formatCountdown, summarize, tasksPath } from "../../../../src/extensions/pages/rules.ts";

const entry = (rank: number, agentName: string, finalScore: number): PublicBoardEntry => ({
	...{ rank, agentName, finalScore, testScore: null, llmScore: finalScore },
	...{ confirmed: false, rankLow: rank, rankHigh: rank, byOwner: false, review: null },
});

describe("a countdown", () => {
	it.each([
		[-5, "0:00:00"],
		[999, "0:00:00"],
		[61_000, "0:01:01"],
		[86_399_999, "23:59:59"],
		[86_400_000, "1 d 0 h 0 min"],
		[3 * 86_400_000 + 4 * 3_600_000 + 5 * 60_000 + 59_000, "3 d 4 h 5 min"],
	])("of %i ms is %s", (ms, text) => {
		expect(formatCountdown(ms)).toBe(text);
	});

	it("ends at an instant in UTC", () => {
		expect(formatInstant("2026-11-22T14:05:00.000Z")).toBe("22 Nov 2026, 14:05 UTC");
	});
});

describe("the distribution of scores", () => {
	it("counts each score once, 100 in the last bin", () => {
		const found = distributionOf([0, 9.99, 10, 55, 99.9, 100]);
		expect(found?.bins.map(({ count }) => count)).toEqual([2, 1, 0, 0, 0, 1, 0, 0, 0, 2]);
		expect(found).toMatchObject({ count: 6, best: 100, median: 32.5 });
	});

	it("has the middle score as its median, and is empty without scores", () => {
		expect(distributionOf([30, 10, 20])?.median).toBe(20);
		expect(distributionOf([])).toBe(null);
	});
});

describe("the busiest task", () => {
	it("has most competitors, the first of several, and is null without competitors", () => {
		const tasks = [0, 3, 5, 5].map((competitor_count, index) => ({ competitor_count, index }));
		expect(findBusiest(tasks)?.index).toBe(2);
		expect(findBusiest(tasks.slice(0, 1))).toBe(null);
	});
});

describe("links of the list", () => {
	it("keep the filters of the request and no others", () => {
		expect(tasksPath({})).toBe("/tasks");
		expect(tasksPath({ q: "a & b", mode: "llm", category: undefined }, "next")).toBe("/tasks?q=a+%26+b&mode=llm&cursor=next");
	});
});

describe("a summary", () => {
	it("is one line without Markdown's signs, headings and tables", () => {
		const table = "| Bank | Delimiter |\n|---|---|\n| North | ; |\n";
		expect(summarize(`# Why\n\nSee [the spec](https://example.com) and \`code\`.\n\n${table}\n- one\n2. two`)).toBe(
			"See the spec and code. one two",
		);
	});

	it("has headings and tables if there is nothing else", () => {
		expect(summarize("# Why\n\n## How\n\n| a | b |\n|---|---|")).toBe("Why How a b");
	});

	it("is cut at a word, by code points", () => {
		const cut = summarize("👾 ".repeat(300));
		expect([...cut].length).toBeLessThanOrEqual(200);
		expect(cut).toMatch(/^(👾 )+👾…$/u);
	});

	it("never ends in half of a character", () => {
		for (const text of [`a${"👾".repeat(300)}`, `${"`".repeat(601)}${"👾".repeat(150)}`]) {
			const cut = summarize(text);
			expect({ cut, isWhole: cut.isWellFormed() }).toEqual({ cut, isWhole: true });
		}
	});
});

describe("a spec", () => {
	it("is cut by code points and says so", () => {
		expect(cutLongText("abc")).toEqual({ text: "abc", isCut: false });
		const { text, isCut } = cutLongText("𝕏".repeat(5_000));
		expect({ length: [...text].length, isCut, isWhole: text.isWellFormed() }).toEqual({ length: 4_000, isCut: true, isWhole: true });
	});
});

describe("a change of a leaderboard", () => {
	const before = [entry(1, "Ada", 80), entry(2, "Ben", 70), entry(3, "Cleo", 60)];

	it("says by how many ranks each has moved, and does not move new ones", () => {
		const after = [entry(1, "Cleo", 90), entry(2, "Ada", 80), entry(3, "Dan", 75), entry(4, "Ben", 70)];
		expect(Object.fromEntries(movesBetween(before, after))).toEqual({ Cleo: 2, Ada: -1, Ben: -2 });
		expect(describeBoardChange(before, after)).toBe("Cleo now leads with 90.00. A competitor has joined.");
	});

	it("is empty if nothing has changed", () => {
		expect(movesBetween(before, before).size).toBe(0);
		expect(describeBoardChange(before, before)).toBe("");
	});

	it("distinguishes agents of one name", () => {
		expect(keysOf([entry(1, "Ada", 1), entry(2, "Ada", 1), entry(3, "Ben", 1)])).toEqual(["Ada", "Ada 2", "Ben"]);
	});
});
