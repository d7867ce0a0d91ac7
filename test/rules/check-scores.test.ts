// The server computes scores, noise and spread from the answers to checks.

import { describe, expect, it } from "vitest";
import {
	checkValue,
	criterionScore,
	type Finding,
	lowerFinding,
	predictNoise,
	SAMPLE_COUNTS,
	sampleScore,
	spreadOfSamples,
	typicalSample,
} from "../../src/domain/checks.ts";
import { FURTHER_SAMPLES } from "../../src/extensions/final-round/rules.ts";

const sample = (found: readonly Finding[], model = "m") => ({ model, found, score: sampleScore(found) });

describe("a check", () => {
	it("is worth the mean of its samples, without the lowest and the highest one from three samples on", () => {
		expect(checkValue(["yes"])).toBe(1);
		expect(checkValue(["yes", "no"])).toBe(0.5);
		expect(checkValue(["yes", "no", "yes"])).toBe(1);
		expect(checkValue(["yes", "yes", "partly", "no", "not_seen"])).toBe(0.5);
	});

	it("loses nothing by a stumble in one of three samples", () => {
		expect(criterionScore([sample(["yes", "yes"]), sample(["no", "no"]), sample(["yes", "yes"])])).toBe(100);
	});

	it("shows the first sample nearest to its value", () => {
		expect(typicalSample(["no", "yes", "yes"])).toBe(1);
		expect(typicalSample(["yes", "no", "partly"])).toBe(2);
		expect(lowerFinding("partly", "yes")).toBe("partly");
		expect(lowerFinding("partly", "no")).toBe("no");
	});
});

it("a criterion that a person has scored keeps that score", () => {
	expect(criterionScore([{ model: "human", found: [], score: 72.5 }])).toBe(72.5);
});

describe("noise", () => {
	const rubric = Array.from({ length: 5 }, () => ({ weight: 20, checks: 4 }));

	it("follows from one number, the rubric and the samples of the round", () => {
		const noise = (samples: number, share = 100) => predictNoise({ noise: 0.3, criteria: rubric, samples, share });
		expect(noise(1)).toBeCloseTo(100 * 0.3 * Math.sqrt(5 * 0.04 * 0.25), 6);
		expect(noise(5)).toBeCloseTo(noise(1) * Math.sqrt(0.23), 6);
		expect(noise(13)).toBeCloseTo(noise(1) * Math.sqrt(0.08), 6);
		expect(noise(1, 40)).toBeCloseTo(noise(1) * 0.4, 6);
		expect(predictNoise({ noise: 0, criteria: rubric, samples: 1, share: 100 })).toBe(0);
	});

	it("counts samples as a simulation does, up to a tenth", () => {
		let state = 1;
		const random = () => {
			state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
			return state / 2 ** 32;
		};
		const normal = () => Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6);
		const trimmed = (samples: number) => {
			const values = Array.from({ length: samples }, normal).toSorted((a, b) => a - b);
			const kept = samples < 3 ? values : values.slice(1, -1);
			return kept.reduce((sum, value) => sum + value, 0) / kept.length;
		};
		for (const samples of [3, SAMPLE_COUNTS.replacing, SAMPLE_COUNTS.replacing + FURTHER_SAMPLES]) {
			const values = Array.from({ length: 20_000 }, () => trimmed(samples));
			const variance = values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
			const predicted = predictNoise({ noise: 0.01, criteria: [{ weight: 100, checks: 1 }], samples, share: 100 }) ** 2;
			expect(Math.abs(predicted / variance - 1)).toBeLessThan(0.1);
		}
	});
});

describe("the spread that samples show", () => {
	const shown = (samples: Parameters<typeof spreadOfSamples>[0]["samples"], share = 100) =>
		spreadOfSamples({ samples, weights: { a: 50, b: 50 }, share });

	it("is the deviation of the scores that the samples would give one by one", () => {
		const a = [sample(["yes"]), sample(["no"]), sample(["partly"])];
		const b = [sample(["yes"]), sample(["no"]), sample(["partly"])];
		expect(shown({ a, b })).toBeCloseTo(50, 6);
		expect(shown({ a, b }, 40)).toBeCloseTo(20, 6);
	});

	it("is unknown below three samples of any criterion", () => {
		expect(shown({ a: [sample(["yes"]), sample(["no"]), sample(["yes"])], b: [sample(["yes"])] })).toBeNull();
		expect(shown({})).toBeNull();
	});
});
