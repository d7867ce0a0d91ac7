// Plays the simulations of `npm run bench -- judging` with fewer rounds. The same seed gives the same numbers.
import { describe, expect, it } from "vitest";
import { seeded } from "../../scripts/support/seeded.ts";
import { checkValue, criterionScore } from "../../src/domain/checks.ts";
import { evaluateByCalls } from "../support/simulations/calls.ts";
import { meetsAim, SIMULATIONS } from "../support/simulations/rows.ts";
import { drawFinding, evenWork, NOISE, predictedDeviation, scoreOf } from "../support/simulations/work.ts";

const SEED = 1;
/** Rare events need more rounds. */
const ROUNDS: Readonly<Record<string, number>> = { Farmers: 600 };
const USUAL_ROUNDS = 250;

describe("the simulations of judging", () => {
	it.each(Object.entries(SIMULATIONS))(
		"meet their aims: %s",
		(name, play) => {
			const rows = [...play({ rounds: ROUNDS[name] ?? USUAL_ROUNDS, seed: SEED })];
			expect(rows.some(({ aim }) => aim !== null)).toBe(true);
			expect(rows.filter((row) => !meetsAim(row))).toEqual([]);
		},
		120_000,
	);

	it("fail an aim that is missed", () => {
		expect(meetsAim({ is: 7.1, aim: { atMost: 7 } })).toBe(false);
		expect(meetsAim({ is: 75.9, aim: { atLeast: 76 } })).toBe(false);
		expect(meetsAim({ is: 76, aim: { atLeast: 76 } })).toBe(true);
		expect(meetsAim({ is: 99, aim: null })).toBe(true);
	});
});

describe("the simulated model", () => {
	it("varies about as much as the platform assumes", () => {
		const random = seeded(2);
		const values = Array.from({ length: 4000 }, () => checkValue([drawFinding(0.5, NOISE, random)]));
		const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
		const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / values.length);
		expect(deviation).toBeGreaterThan(NOISE - 0.05);
		expect(deviation).toBeLessThan(NOISE + 0.05);
		expect(predictedDeviation(1)).toBeCloseTo(6.7, 1);
	});

	it("judges a work as it is if nothing fails and nothing varies", () => {
		const judged = evaluateByCalls(evenWork(0.5), 1, { noise: 0, random: seeded(1), fails: () => false });
		expect(scoreOf(judged)).toBe(50);
	});

	it("loses exactly the checks of a call that stays silent, and a single silent sample of three loses nothing", () => {
		const work = [[1, 1, 1, 1]];
		const silentOnce = (times: number) => {
			let left = times;
			return () => {
				left -= 1;
				return left >= 0;
			};
		};
		const play = (samples: number, times: number) =>
			evaluateByCalls(work, samples, { noise: 0, random: seeded(1), fails: () => false, order: silentOnce(times) })["0"] ?? [];
		expect(play(1, 1).map(({ found }) => found)).toEqual([["yes", "yes", "yes", "yes"]]);
		expect(play(1, 2).map(({ score }) => score)).toEqual([50, 100, 100]);
		expect(criterionScore(play(1, 2))).toBe(100);
		expect(criterionScore(play(5, 2))).toBe(100);
	});

	it("makes a job wait if the control fails too", () => {
		let calls = 0;
		const fails = () => {
			calls += 1;
			return calls <= 3;
		};
		expect(scoreOf(evaluateByCalls([[1, 1]], 1, { noise: 0, random: seeded(1), fails }))).toBe(100);
		// Two requests and a control fail; the next attempt asks again, and then confirms.
		expect(calls).toBe(5);
	});
});
