// Tests the pure parts of receipts: canonical JSON, and scores that follow from samples and weights.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimsSchema, parseAs } from "../../../../packages/sdk/src/receipt/claims.ts";
import { recompute } from "../../../../packages/sdk/src/receipt/recompute.ts";
import { canonicalJson } from "../../../../src/domain/canonical-json.ts";
import { criterionScore, FINDINGS, sampleScore } from "../../../../src/domain/checks.ts";
import { finalScore, roundScore, weightedScore } from "../../../../src/domain/scores.ts";

describe("canonical JSON", () => {
	it("writes the examples of RFC 8785", () => {
		const input = {
			// biome-ignore lint/correctness/noPrecisionLoss: the example's own number, which is not exact.
			numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
			string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
			literals: [null, true, false],
		};
		expect(canonicalJson(input)).toBe(
			'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
		);
		const names = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
		expect(canonicalJson(names)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}');
	});

	it("is the same for equal values in any order, and reads back as the value", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" })), (value) => {
				const text = canonicalJson(JSON.parse(JSON.stringify(value)));
				const turned = Object.fromEntries(Object.entries(value).toReversed());
				expect(canonicalJson(JSON.parse(JSON.stringify(turned)))).toBe(text);
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});

	it("refuses what I-JSON cannot express", () => {
		for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "\ud800", ["\udc00"], { "\ud800": 1 }]) {
			expect(() => canonicalJson(value)).toThrow(TypeError);
		}
	});
});

/** Returns samples of a criterion with this number of checks. */
const samplesOf = (checks: number) =>
	fc.array(
		fc
			.array(fc.constantFrom(...FINDINGS), { minLength: checks, maxLength: checks })
			.map((found) => ({ model: "model-a", found, score: sampleScore(found) })),
		{ minLength: 1, maxLength: 13 },
	);
const judged = fc.record({
	criteria: fc.uniqueArray(
		fc.record({
			name: fc.string({ minLength: 1 }),
			weight: fc.double({ min: 0.01, max: 100, noNaN: true }),
			samples: fc.integer({ min: 1, max: 8 }).chain(samplesOf),
		}),
		{ minLength: 1, maxLength: 20, selector: ({ name }) => name },
	),
	testScore: fc.double({ min: 0, max: 100, noNaN: true }).map((score) => roundScore(score)),
	llmWeight: fc.integer({ min: 0, max: 100 }),
});

type Judged = typeof judged extends fc.Arbitrary<infer Value> ? Value : never;

/** No score follows from these claims. */
const REST = {
	submission_id: "s",
	task_id: "t",
	task_sha256: "0",
	evaluation_id: "e",
	round: "submission",
	artifact_sha256: null,
	rubric_sha256: "0",
	models: [],
	confirmed_by: null,
	prompt_version: null,
	temperature: null,
	image_digest: null,
	iat: 0,
};

/** Returns scores as the platform writes them, after a conversion to JSON and back. */
function claimsOf({ criteria, testScore, llmWeight }: Judged) {
	const dimensions = criteria.map(({ name, weight, samples }) => ({ name, weight, score: criterionScore(samples) }));
	const llmScore = weightedScore(dimensions);
	const testWeight = 100 - llmWeight;
	const byName = <Value>(of: (index: number) => Value) => Object.fromEntries(criteria.map(({ name }, index) => [name, of(index)]));
	const claims = {
		...REST,
		judge: "openai",
		weights: byName((index) => dimensions[index]?.weight ?? 0),
		mode_weights: { test: testWeight, llm: llmWeight },
		samples: byName((index) => criteria[index]?.samples ?? []),
		scores: {
			final: finalScore({ testScore, llmScore, testWeight, llmWeight }),
			test: testScore,
			llm: llmScore,
			container: null,
			criteria: byName((index) => dimensions[index]?.score ?? 0),
		},
	};
	return parseAs(claimsSchema, JSON.parse(JSON.stringify(claims)), "claims");
}

describe("scores computed again from a receipt", () => {
	it("are the scores that the platform wrote, to the last digit", () => {
		fc.assert(
			fc.property(judged, (input) => {
				expect(recompute(claimsOf(input))).toMatchObject({ faults: [], recomputed: ["criteria", "llm", "final"] });
			}),
			{ numRuns: 500 },
		);
	});

	it("do not depend on the order of the criteria", () => {
		fc.assert(
			fc.property(judged, fc.infiniteStream(fc.nat()), ({ criteria }, order) => {
				const dimensions = criteria.map(({ weight, samples }) => ({ weight, score: criterionScore(samples) }));
				const shuffled = dimensions.map((dimension) => ({ dimension, place: order.next().value })).toSorted((a, b) => a.place - b.place);
				expect(weightedScore(shuffled.map(({ dimension }) => dimension))).toBe(weightedScore(dimensions));
			}),
			{ numRuns: 500 },
		);
	});

	it("contradict a receipt that was signed with another score, weight, sample or name", () => {
		fc.assert(
			fc.property(judged, fc.nat(), (input, seed) => {
				const claims = claimsOf(input);
				const names = Object.keys(claims.samples);
				const name = names[seed % names.length] ?? "";
				const { scores, samples } = claims;
				const moved = (score: number | null | undefined) => roundScore((score ?? 0) < 50 ? (score ?? 0) + 0.01 : (score ?? 0) - 0.01);
				const { [name]: _, ...others } = samples;
				const changes = [
					{ scores: { ...scores, final: moved(scores.final) } },
					{ scores: { ...scores, llm: moved(scores.llm) } },
					{ scores: { ...scores, llm: null } },
					{ scores: { ...scores, criteria: { ...scores.criteria, [name]: moved(scores.criteria[name]) } } },
					{ scores: { ...scores, criteria: {} } },
					{ samples: others },
					{ samples: {} },
					{ samples: { ...samples, [`${name} `]: samples[name] ?? [] } },
					{ weights: {} },
				];
				for (const change of changes) expect(recompute({ ...claims, ...change }).faults).not.toEqual([]);
			}),
		);
	});
});
