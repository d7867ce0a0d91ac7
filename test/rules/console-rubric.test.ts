// The rubric of the console's wizard while someone types it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	type CriterionDraft,
	distributeRest,
	findFaults,
	isBlank,
	isComplete,
	parseWeight,
	sumWeights,
	toCriteria,
} from "../../console/src/rules/rubric.ts";

const rows = (...weights: string[]): CriterionDraft[] =>
	weights.map((weight, index) => ({ key: `k${index}`, name: `Criterion ${index}`, description: "", weight, anyEvidence: false }));
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

	it.each(["", "x", "-1", "100.01", "101", "1.234", "1e2", "٣"])("%j is none", (text) => {
		expect(parseWeight(text)).toBe(null);
	});
});

describe("the sum", () => {
	it("has no rounding errors", () => {
		expect(sumWeights(rows("33.33", "33.33", "33.34"))).toBe(100);
		expect(sumWeights(rows("0.1", "0.2"))).toBe(0.3);
	});
});

describe("distributing the rest", () => {
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
	])("%j becomes %j", (before, after) => {
		expect(weightsOf(distributeRest(rows(...before)))).toEqual(after);
	});

	it("leads to exactly 100 whenever something can be given", () => {
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

	it("says what is wrong with a criterion", () => {
		const [first, second] = rows("50", "");
		const twins = [
			{ ...first, name: "Same " },
			{ ...second, name: "Same" },
		] as const;
		expect(findFaults({ key: "a", name: " ", description: "", weight: "200", anyEvidence: false }, [])).toEqual({
			name: "Give the criterion a name.",
			weight: "More than 0, at most 100.",
		});
		expect(
			findFaults(
				{ key: "x", description: "", anyEvidence: false, weight: "1", name: twins[1].name },
				rows("1").map((row) => ({ ...row, name: "Same" })),
			).name,
		).toBe("Another criterion has this name.");
	});

	it("is blank only while nothing is written", () => {
		expect(isBlank([{ key: "a", name: "", description: " ", weight: "", anyEvidence: true }])).toBe(true);
		expect(isBlank(rows("1"))).toBe(false);
	});

	it("goes to the API without what is empty", () => {
		expect(toCriteria([{ key: "a", name: " Tests ", description: "", weight: "12.5", anyEvidence: true }])).toEqual([
			{ name: "Tests", description: null, weight: 12.5, evidence: "any" },
		]);
	});
});
