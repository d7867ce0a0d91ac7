import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLAIM_MS, CLAIM_RENEWAL_MS } from "../../src/core/competition/evaluation/rules.ts";
import { GIVE_UP_MARGIN_MS, MAX_ATTEMPTS, retryDelayMs } from "../../src/core/judging/rules.ts";
import { MODES } from "../../src/domain/modes.ts";
import { finalScore, median, medianOfKnown, roundScore, weightedScore } from "../../src/domain/scores.ts";

const MINUTE_MS = 60_000;
const score = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100);
const scores = fc.array(score, { minLength: 1, maxLength: 9 });

describe("the median", () => {
	it.each([
		[[], null],
		[[0], 0],
		[[70, 90], 80],
		[[1, 100, 50], 50],
		[[10, 20, 30, 41], 25],
		[[33.33, 33.34], 33.34],
		[[100, 100, 0], 100],
	])("of %j is %s", (values, expected) => {
		expect(median(values)).toBe(expected);
	});

	it("is within the values, ignores their order, and has half of them on either side", () => {
		fc.assert(
			fc.property(scores, fc.infiniteStream(fc.nat()), (values, random) => {
				const middle = median(values) ?? Number.NaN;
				const shuffled = values.toSorted(() => (random.next().value % 2 === 0 ? 1 : -1));
				expect(median(shuffled)).toBe(middle);
				const half = values.length / 2;
				expect(values.filter((value) => value < middle - 0.005).length).toBeLessThanOrEqual(half);
				expect(values.filter((value) => value > middle + 0.005).length).toBeLessThanOrEqual(half);
			}),
		);
	});

	it("rises by at most one place with one more high score", () => {
		fc.assert(
			fc.property(scores, (values) => {
				const sorted = values.toSorted((a, b) => a - b);
				const next = sorted[Math.ceil(values.length / 2)] ?? 100;
				expect(median([...values, 100])).toBeLessThanOrEqual(Math.max(next, median(values) ?? 0) + 0.005);
			}),
		);
	});

	it("ignores unknown values", () => {
		expect(medianOfKnown([null, 3, null, 5])).toBe(4);
		expect(medianOfKnown([null, null])).toBeNull();
		expect(medianOfKnown([])).toBeNull();
	});
});

describe("scores", () => {
	it("have two decimals", () => {
		expect([1.005, 33.333, 66.666, 99.999, 0.004, 0.005].map(roundScore)).toEqual([1.01, 33.33, 66.67, 100, 0, 0.01]);
		fc.assert(
			fc.property(fc.double({ min: 0, max: 100, noNaN: true }), (value) => {
				const rounded = roundScore(value);
				expect(Math.abs(rounded - value)).toBeLessThanOrEqual(0.005 + 1e-9);
				expect(Number(rounded.toFixed(2))).toBe(rounded);
				expect(roundScore(rounded)).toBe(rounded);
			}),
		);
	});

	it("of criteria weigh as the rubric says, and stay between the lowest and the highest", () => {
		expect(
			weightedScore([
				{ score: 80, weight: 60 },
				{ score: 40, weight: 40 },
			]),
		).toBe(64);
		expect(weightedScore([33.33, 33.33, 33.33].map((weight) => ({ score: 100, weight })))).toBe(100);
		const criteria = fc.array(fc.record({ score, weight: fc.double({ min: 0.01, max: 100, noNaN: true }) }), {
			minLength: 1,
			maxLength: 50,
		});
		fc.assert(
			fc.property(criteria, (list) => {
				const total = weightedScore(list);
				expect(total).toBeGreaterThanOrEqual(Math.min(...list.map((item) => item.score)) - 0.005);
				expect(total).toBeLessThanOrEqual(Math.max(...list.map((item) => item.score)) + 0.005);
			}),
		);
	});

	it.each([
		[{ testScore: null, llmScore: 77, testWeight: 0, llmWeight: 100 }, 77],
		[{ testScore: 50, llmScore: null, testWeight: 100, llmWeight: 0 }, 50],
		[{ testScore: 50, llmScore: 100, testWeight: 30, llmWeight: 70 }, 85],
		[{ testScore: 100, llmScore: 100, testWeight: 33.33, llmWeight: 66.68 }, 100],
		[{ testScore: 0, llmScore: 0, testWeight: 50, llmWeight: 50 }, 0],
	])("combine by the mode's weights: %o is %d", (parts, expected) => {
		expect(finalScore(parts)).toBe(expected);
	});
});

describe("retries", () => {
	it("wait longer each time, as long as asked, and never longer than ten minutes", () => {
		expect([1, 2, 3, 4].map((attempts) => retryDelayMs(attempts, null))).toEqual([5_000, 15_000, 45_000, 135_000]);
		expect(retryDelayMs(1, 60)).toBe(60_000);
		expect(retryDelayMs(4, 1)).toBe(135_000);
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 100 }), fc.option(fc.integer({ min: 0, max: 1e9 })), (attempts, retryAfter) => {
				const delay = retryDelayMs(attempts, retryAfter);
				expect(delay).toBeGreaterThanOrEqual(5_000);
				expect(delay).toBeLessThanOrEqual(10 * MINUTE_MS);
				expect(retryDelayMs(attempts + 1, retryAfter)).toBeGreaterThanOrEqual(delay);
			}),
		);
	});

	it("fit into the time that an evaluation has", () => {
		const waits = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => retryDelayMs(index + 1, null));
		expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(MODES.llm.timeLimitMs());
	});
});

describe("the time of an evaluation", () => {
	it("depends on its mode", () => {
		const limits = (["llm", "container", "hybrid", "external"] as const).map((evalMode) => MODES[evalMode].timeLimitMs(600));
		const [llm = 0, container = 0, hybrid = 0, external] = limits;
		expect(hybrid).toBe(llm + container);
		expect(container).toBeGreaterThanOrEqual(600_000);
		expect(external).toBe(24 * 60 * MINUTE_MS);
		expect(GIVE_UP_MARGIN_MS).toBeLessThanOrEqual(5 * MINUTE_MS);
	});

	it("allows a dead consumer to be replaced within two minutes, and a working one to renew in time", () => {
		expect(CLAIM_MS).toBeLessThanOrEqual(2 * MINUTE_MS);
		expect(CLAIM_RENEWAL_MS * 2).toBeLessThan(CLAIM_MS);
	});
});
