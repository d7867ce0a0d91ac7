// Tests which works take part in a final round, which share a judgement, and which get further samples.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bandOf, MOST_WORKS, selectBand } from "../../../../src/extensions/final-round/band.ts";
import { shareJudgement } from "../../../../src/extensions/final-round/equal-files.ts";
import { findNearTies } from "../../../../src/extensions/final-round/near-ties.ts";
import { LEAST_CANDIDATES } from "../../../../src/extensions/final-round/rules.ts";

const entry = (finalScore: number, deviation = 0, filesSha256: string | null = null) => ({ finalScore, deviation, filesSha256 });
const repeat = (count: number, finalScore: number, deviation = 0) => Array.from({ length: count }, () => entry(finalScore, deviation));

describe("the band of a final round", () => {
	it("has three deviations of the difference to the leader, and at least five points", () => {
		expect(bandOf({ deviation: 3 }, { deviation: 4 })).toBe(15);
		expect(bandOf({ deviation: 0 }, { deviation: 0 })).toBe(5);
	});

	it("ends exactly at the band, after the first ten", () => {
		const { candidates, leftOut } = selectBand([...repeat(12, 90), entry(85), entry(84.99)]);
		expect(candidates).toHaveLength(13);
		expect(leftOut).toEqual([]);
		// As floating-point numbers, these scores differ by a little more than five.
		expect(selectBand([...repeat(12, 8.05), entry(3.05), entry(3.04)]).candidates).toHaveLength(13);
	});

	it("takes in thirty different works from the top, and says whom the cap leaves out", () => {
		const { candidates, leftOut } = selectBand([...repeat(35, 90), entry(10)]);
		expect(candidates).toHaveLength(MOST_WORKS);
		expect(leftOut).toHaveLength(5);
	});

	it("counts equal files once, also behind the thirtieth work", () => {
		const board = [entry(91, 0, "x"), ...repeat(29, 90), entry(89, 0, "x"), entry(89, 0, "y")];
		const { candidates, leftOut } = selectBand(board);
		expect(candidates).toHaveLength(31);
		expect(leftOut).toEqual([entry(89, 0, "y")]);
	});

	it("has the first ten at any scores, all of fewer, and always a beginning of the board if all files differ", () => {
		expect(selectBand([])).toEqual({ candidates: [], leftOut: [] });
		const scores = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 40 });
		fc.assert(
			fc.property(scores, (list) => {
				const board = list.toSorted((a, b) => b - a).map((score) => entry(score));
				const { candidates, leftOut } = selectBand(board);
				expect(candidates.length).toBeGreaterThanOrEqual(Math.min(LEAST_CANDIDATES, board.length));
				expect(candidates.length).toBeLessThanOrEqual(MOST_WORKS);
				expect([...candidates, ...leftOut]).toEqual(board.slice(0, candidates.length + leftOut.length));
			}),
		);
	});
});

describe("a judgement", () => {
	const work = (submissionId: string, acceptedAt: number, filesSha256: string | null) => ({ submissionId, acceptedAt, filesSha256 });
	const judgedIn = (list: Parameters<typeof shareJudgement>[0]) =>
		Object.fromEntries(shareJudgement(list).map(({ submissionId, judgedId }) => [submissionId, judgedId]));

	it("is shared by equal files only, and made for the earliest of them", () => {
		expect(judgedIn([work("b", 2, "x"), work("a", 1, "x"), work("c", 0, "y")])).toEqual({ a: "a", b: "a", c: "c" });
		expect(judgedIn([work("b", 1, "x"), work("a", 1, "x")])).toEqual({ a: "a", b: "a" });
		expect(judgedIn([work("a", 1, null), work("b", 2, null)])).toEqual({ a: "a", b: "b" });
	});
});

describe("further samples", () => {
	const judged = (...scores: number[]) => scores.map((finalScore, index) => ({ finalScore, judgedId: `${index}` }));
	const scoresOf = (list: readonly { finalScore: number }[]) => list.map(({ finalScore }) => finalScore);

	it("go to all who are at most five points below the third place", () => {
		expect(scoresOf(findNearTies(judged(90, 60, 88, 83, 82.99)))).toEqual([90, 60, 88, 83, 82.99].filter((score) => score >= 78));
		expect(scoresOf(findNearTies(judged(90, 70, 50, 45, 44)))).toEqual([90, 70, 50, 45]);
		expect(scoresOf(findNearTies(judged(90, 70, 8.05, 3.05, 3.04)))).toEqual([90, 70, 8.05, 3.05]);
		expect(scoresOf(findNearTies(judged(90, 70, 5.03, 0.03, 0.02)))).toEqual([90, 70, 5.03, 0.03]);
	});

	it("go to both of two, and not to a single one", () => {
		expect(findNearTies(judged(90, 20))).toHaveLength(2);
		expect(findNearTies(judged(90))).toEqual([]);
		expect(findNearTies([])).toEqual([]);
	});

	it("count candidates that share a judgement as one", () => {
		const shared = [90, 90, 90].map((finalScore) => ({ finalScore, judgedId: "first" }));
		expect(findNearTies(shared)).toEqual([]);
		const field = [...shared, { finalScore: 80, judgedId: "second" }, { finalScore: 70, judgedId: "third" }];
		expect(findNearTies([...field, { finalScore: 64.9, judgedId: "fourth" }])).toEqual(field);
	});
});
