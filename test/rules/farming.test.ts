// A farmer submits again and again to a judge with a deviation of 5 points, over thousands of seeded tasks. test/queues/farming.test.ts
// shows that the real recordScore gives the same scores as these functions.
import { describe, expect, it } from "vitest";
import {
	bestOf,
	DEVIATION,
	FINAL_SAMPLES,
	farm,
	handIn,
	judge,
	ONE_SAMPLE,
	type Random,
	scoreOf,
	seeded,
	type Try,
	winners,
} from "../support/farming.ts";
import { worseFirst } from "../support/starter-works.ts";
import { playStrongFields } from "../support/strong-field.ts";

const QUALITY = 60;
const TRIALS = 2000;
const FIELDS = 500;

const meanOver = (trials: number, trial: () => number) => {
	let sum = 0;
	for (let n = 0; n < trials; n += 1) sum += trial();
	return sum / trials;
};

/**
 * Returns, in deviations of one evaluation, how far an agent's result exceeds the quality of its work, before and after the final round.
 */
function gain(tries: readonly Try[], candidate: Try, { quality, random }: { quality: number; random: Random }) {
	const confirmed = judge(candidate.quality, FINAL_SAMPLES, random).finalScore;
	return { before: (scoreOf(bestOf(tries)) - quality) / DEVIATION, after: (confirmed - quality) / DEVIATION };
}

/** With 500 trials the means are right to 0.04 deviations. */
const GAIN_TRIALS = 500;

function meanGain(seed: number, play: (random: Random) => { tries: readonly Try[]; candidate?: Try; quality: number }) {
	const random = seeded(seed);
	let before = 0;
	const after = meanOver(GAIN_TRIALS, () => {
		const { tries, candidate = bestOf(tries), quality } = play(random);
		const gained = gain(tries, candidate, { quality, random });
		before += gained.before / GAIN_TRIALS;
		return gained.after;
	});
	return { before, after };
}

const show = (what: string, { before, after }: { before: number; after: number }) =>
	console.info(`${what}: ${before.toFixed(2)} deviations before the final round, ${after.toFixed(2)} after`);

describe("with a judge whose scores deviate by 5 points", () => {
	it("one evaluation deviates by as much", () => {
		const random = seeded(1);
		const scores = Array.from({ length: 20_000 }, () => handIn(QUALITY, random)).map(scoreOf);
		const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
		const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
		expect(Math.abs(mean - QUALITY)).toBeLessThan(0.2);
		expect(Math.abs(deviation - DEVIATION)).toBeLessThan(0.2);
	});

	it("15 copies and 24 hours of re-evaluations gain at most 0.3 deviations after the final round", () => {
		const farmed = meanGain(2, (random) => ({ tries: farm(QUALITY, random), quality: QUALITY }));
		show("15 copies, 24 hours of re-evaluations", farmed);
		expect(farmed.before).toBeGreaterThan(1.5);
		expect(farmed.after).toBeLessThanOrEqual(0.3);
		expect(Math.abs(farmed.after)).toBeLessThan(0.1);
	}, 180_000);

	it("one honest submission loses nothing", () => {
		const honest = meanGain(3, (random) => ({ tries: [handIn(QUALITY, random)], quality: QUALITY }));
		show("one honest submission", honest);
		expect(Math.abs(honest.after)).toBeLessThan(0.1);
	});

	it("an honest improver that picks its best loses nothing", () => {
		/** Returns fifteen steps of a point each; only the agent knows that the last one is the best. */
		const improve = (random: Random) => Array.from({ length: 15 }, (_, step) => handIn(QUALITY - 14 + step, random));
		const picking = meanGain(4, (random) => {
			const tries = improve(random);
			return { tries, candidate: tries[14] ?? bestOf(tries), quality: QUALITY };
		});
		const silent = meanGain(4, (random) => ({ tries: improve(random), quality: QUALITY }));
		show("an improver that picks its best", picking);
		show("an improver that leaves it to luck", silent);
		expect(Math.abs(picking.after)).toBeLessThan(0.1);
		expect(silent.after).toBeLessThan(-0.3);
	});

	it("a farmer with one sample per criterion displaces 2 of 19 equals and wins at most 7 %", () => {
		const random = seeded(6);
		let left = 0;
		let won = 0;
		const rounds = 400;
		for (let n = 0; n < rounds; n += 1) {
			const honest = Array.from({ length: 19 }, (_, index) => ({ name: `honest ${index}`, tries: [handIn(QUALITY, random, ONE_SAMPLE)] }));
			const { confirmed, candidates } = winners([{ name: "farmer", tries: farm(QUALITY, random, ONE_SAMPLE) }, ...honest], random);
			left += (20 - candidates) / rounds;
			if (confirmed === "farmer") won += 1 / rounds;
		}
		console.info(`one sample: ${left.toFixed(2)} of 19 left out, the farmer is first in ${(100 * won).toFixed(1)} %`);
		expect(left).toBeLessThanOrEqual(2);
		expect(won).toBeLessThanOrEqual(0.07);
	}, 180_000);

	it("a farmer among 20 equals comes first in at most 7 % of tasks", () => {
		const random = seeded(5);
		const tally = { before: 0, after: 0, candidates: 0 };
		for (let trial = 0; trial < TRIALS; trial += 1) {
			const others = Array.from({ length: 19 }, (_, index) => ({ name: `Honest ${index}`, tries: [handIn(QUALITY, random)] }));
			const won = winners([...others, { name: "Farmer", tries: farm(QUALITY, random) }], random);
			if (won.provisional === "Farmer") tally.before += 100 / TRIALS;
			if (won.confirmed === "Farmer") tally.after += 100 / TRIALS;
			tally.candidates += won.candidates / TRIALS;
		}
		console.info(
			`A farmer among 20 equals is first in ${tally.before.toFixed(1)} % of tasks before the final round, in ${tally.after.toFixed(1)} % after; ${tally.candidates.toFixed(1)} candidates`,
		);
		expect(tally.before).toBeGreaterThan(30);
		expect(tally.after).toBeLessThanOrEqual(7);
	}, 180_000);
});

describe("works that begin with the same long files", () => {
	it("are judged separately, so that a worse, earlier one is rarely first", () => {
		const percent = worseFirst({ others: 4, difference: 10 }, seeded(8), TRIALS);
		console.info(`The worse, earlier work of six candidates is first in ${percent.toFixed(1)} % of rounds`);
		expect(percent).toBeLessThanOrEqual(10);
	});
});

describe("a field of strong works", () => {
	it.each([
		{ works: 20, criteria: 3, noise: 0.4 },
		{ works: 20, criteria: 5, noise: 0.4 },
		{ works: 20, criteria: 5, noise: 0.55 },
		{ works: 20, criteria: 8, noise: 0.4 },
	])(
		"is decided by further samples more often in favour of the best than by the time: %j",
		(field) => {
			const { tied, bestByTime, bestFirst } = playStrongFields(field, seeded(9), FIELDS);
			const shown = [tied, bestByTime, bestFirst].map((percent) => percent.toFixed(0));
			console.info(`${JSON.stringify(field)}: tied in ${shown[0]} %, the best first in ${shown[1]} % by time, ${shown[2]} % by samples`);
			expect(tied).toBeGreaterThan(35);
			expect(bestFirst).toBeGreaterThan(bestByTime + 7);
		},
		60_000,
	);
});
