// Tests the rubric of the console's wizard while someone types it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyCriterion } from "../../console/src/rules/draft.ts";
import {
	type CriterionDraft,
	distributeRest,
	findFaults,
	findRubricFault,
	isBlank,
	isComplete,
	parseWeight,
	sumWeights,
	toCriteria,
} from "../../console/src/rules/rubric.ts";

const rows = (...weights: string[]): CriterionDraft[] =>
	weights.map((weight, index) => ({ ...emptyCriterion(`k${index}`), name: `Criterion ${index}`, weight }));
const weightsOf = (criteria: readonly CriterionDraft[]) => criteria.map(({ weight }) => weight);

describe("a weight", () => {
	it.each([
		["12", 1200],
		[" 7.5 ", 750],
		["33.33", 3333],
		["0", 0],
		["100", 10_000],
	])("%j is read exactly", (text, hundredths) => {
		expect(parseWeight(text)).toBe(hundredths);
	});

	it.each(["", "x", "-1", "100.01", "101", "1.234", "1e2", "٣"])("%j is not a weight", (text) => {
		expect(parseWeight(text)).toBe(null);
	});
});

describe("the sum of the weights", () => {
	it("has no rounding errors", () => {
		expect(sumWeights(rows("33.33", "33.33", "33.34"))).toBe(100);
		expect(sumWeights(rows("0.1", "0.2"))).toBe(0.3);
	});
});

describe("distributing the remaining weight", () => {
	it.each([
		[
			["", ""],
			["50", "50"],
		],
		[
			["60", "", ""],
			["60", "20", "20"],
		],
		[
			["", "", ""],
			["34", "33", "33"],
		],
		[
			["33.5", "", ""],
			["33.5", "33.25", "33.25"],
		],
		[
			["30", "30"],
			["50", "50"],
		],
		[
			["80", "80"],
			["50", "50"],
		],
		[
			["100", ""],
			["100", ""],
		],
		[
			["60", "40"],
			["60", "40"],
		],
		[
			["5", "3", "1"],
			["56", "33", "11"],
		],
		[Array(8).fill("1"), [...Array(4).fill("12"), ...Array(4).fill("13")]],
	])("%j becomes %j", (before, after) => {
		expect(weightsOf(distributeRest(rows(...before)))).toEqual(after);
	});

	it.each([18, 40, 50])("gives each of %i criteria a weight if rounding adds more than the largest weight", (count) => {
		const criteria = distributeRest(rows(...Array<string>(count).fill("1")));
		expect(sumWeights(criteria)).toBe(100);
		expect(isComplete(criteria)).toBe(true);
	});

	it("leads to exactly 100 if any weight can change", () => {
		const weight = fc.integer({ min: 0, max: 40 }).map(String);
		fc.assert(
			fc.property(fc.array(weight, { minLength: 1, maxLength: 20 }), (weights) => {
				const given = weights.reduce((sum, value) => sum + Number(value), 0);
				fc.pre(given < 100);
				expect(sumWeights(distributeRest(rows(...weights)))).toBe(100);
			}),
		);
	});
});

describe("a rubric", () => {
	it("is complete with names, weights, and a sum of 100", () => {
		expect(isComplete(rows("60", "40"))).toBe(true);
		expect(isComplete(rows("60", "39"))).toBe(false);
		expect(isComplete([])).toBe(false);
		expect(isComplete(rows("100", "0"))).toBe(false);
	});

	it("reports what is wrong with a criterion", () => {
		const [first, second] = rows("50", "");
		const twins = [
			{ ...first, name: "Same " },
			{ ...second, name: "Same" },
		] as const;
		expect(findFaults({ ...emptyCriterion("a"), name: " ", weight: "200" }, [])).toEqual({
			name: "Give the criterion a name.",
			weight: "More than 0, at most 100.",
		});
		expect(
			findFaults(
				{ ...emptyCriterion("x"), weight: "1", name: twins[1].name },
				rows("1").map((row) => ({ ...row, name: "Same" })),
			).name,
		).toBe("Another criterion has this name.");
	});

	it("is blank only while nothing is written", () => {
		expect(isBlank([{ ...emptyCriterion("a"), description: " ", anyEvidence: true }])).toBe(true);
		expect(isBlank(rows("1"))).toBe(false);
	});

	it("is sent to the API without empty parts", () => {
		const row = { ...emptyCriterion("a"), name: " Tests ", weight: "12.5", anyEvidence: true, finalOnly: true };
		const plain = { name: "Tests", description: null, weight: 12.5, checks: [], evidence: "any" };
		expect(toCriteria([row], false)).toEqual([plain]);
		expect(toCriteria([row], true)).toEqual([{ ...plain, final_only: true }]);
		expect(toCriteria([{ ...row, checks: "\n one? \n\ntwo?\n" }], false)).toEqual([{ ...plain, checks: ["one?", "two?"] }]);
	});

	it("reports what is wrong with checks", () => {
		const row = { ...emptyCriterion("a"), name: "Tests", weight: "100" };
		expect(findFaults({ ...row, checks: "one?\none? " }, [])).toEqual({ checks: "Two checks are the same." });
		expect(findFaults({ ...row, checks: "123456789".split("").join("\n") }, [])).toEqual({ checks: "At most 8 checks." });
		expect(findFaults({ ...row, checks: "x".repeat(301) }, [])).toEqual({ checks: "At most 300 characters for each check." });
		expect(isComplete([row])).toBe(true);
	});

	it("reports what is wrong with the criteria together", () => {
		const [first, second] = rows("50", "50").map((row) => ({ ...emptyCriterion(row.key), ...row }));
		const both = [first, second].flatMap((row) => (row === undefined ? [] : [row]));
		expect(findRubricFault(both)).toBeNull();
		expect(findRubricFault(both.map((row, index) => ({ ...row, finalOnly: index === 0 })))).toBeNull();
		expect(findRubricFault(both.map((row) => ({ ...row, finalOnly: true })))).toContain("must be visible");
		const heavy = both.map((row, index) => ({ ...row, weight: index === 0 ? "51" : "49", finalOnly: index === 0 }));
		expect(findRubricFault(heavy)).toContain("at most 50 %");
		expect(isComplete(heavy)).toBe(false);
		const checks = Array.from({ length: 8 }, (_, index) => `Check ${index}`).join("\n");
		const many = Array.from({ length: 15 }, (_, index) => ({ ...emptyCriterion(String(index)), name: String(index), checks }));
		expect(findRubricFault(many)).toBeNull();
		expect(findRubricFault([...many, emptyCriterion("more")])).toContain("at most 120 checks");
	});
});
