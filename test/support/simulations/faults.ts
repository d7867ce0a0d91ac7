// Simulates how scores change because of a supplier that sometimes fails, and because of a model that obeys the submission.

import { type Random, seeded } from "../../../scripts/support/seeded.ts";
import { checkValue, criterionScore } from "../../../src/domain/checks.ts";
import { evaluateByCalls, failingAt, failingInBursts, type Order, type Supplier } from "./calls.ts";
import { CRITERIA, evenWork, mean, NOISE, ROUND_SAMPLES, scoreOf, type Work } from "./work.ts";

/** A submission to which a judge without noise gives 80 points: its checks are done or half done. */
const STEADY: Work = [[1, 1, 1, 0.5], [1, 1, 1, 0.5], ...Array.from({ length: 3 }, () => [1, 1, 0.5, 0.5])];
const STEADY_SCORE = 80;

/** What evaluations of honest submissions lose, as percentages of the evaluations. */
export interface Losses {
	/** Those with a criterion that gets 0 points. */
	readonly zeroed: number;
	/** Those with a check that counts less than it deserves. */
	readonly lostCheck: number;
	/** Those with at least ten points less than they deserve. */
	readonly tenPoints: number;
}

interface Stumbles {
	readonly samples: number;
	readonly rounds: number;
	readonly seed: number;
	readonly supplier: (random: Random) => Supplier;
}

export const unreadable = (rate: number) => (random: Random) => failingAt(rate, random);
export const inBursts = (random: Random) => failingInBursts({ burst: 8, period: 80 }, random);

export function playStumbles({ samples, rounds, seed, supplier }: Stumbles): Losses {
	const random = seeded(seed);
	const tally = { zeroed: 0, lostCheck: 0, tenPoints: 0 };
	for (let round = 0; round < rounds; round += 1) {
		const judged = evaluateByCalls(STEADY, samples, { noise: 0, random, fails: supplier(random) });
		const isLess = STEADY.some((checks, criterion) => {
			const samples = judged[`${criterion}`] ?? [];
			return checks.some((worth, check) => checkValue(samples.map(({ found }) => found[check] ?? "no")) < worth);
		});
		if (Object.values(judged).some((samples) => criterionScore(samples) === 0)) tally.zeroed += 100 / rounds;
		if (isLess) tally.lostCheck += 100 / rounds;
		if (STEADY_SCORE - scoreOf(judged) >= 10) tally.tenPoints += 100 / rounds;
	}
	return tally;
}

/** Orders that tell a model when to stay silent, so that it is asked again or the platform is blamed. */
const ORDERS: Readonly<Record<string, Order>> = {
	"if an answer would be no": (answers) => answers.includes("no"),
	"if an answer would be less than yes": (answers) => answers.some((one) => one !== "yes"),
	"if all answers would be no": (answers) => answers.every((one) => one === "no"),
	"if an answer would be less than yes, the first time only": (answers, asked) => asked === 0 && answers.some((one) => one !== "yes"),
};

/**
 * Honest submissions with 64 points on average. In the usual one, some checks are done and some are not. In the even one, all are done to
 * the same degree.
 */
export const HONEST = {
	usual: Array.from({ length: CRITERIA }, () => [1, 0.8, 0.5, 0.25]),
	even: evenWork(0.64),
} as const;

interface Obeying {
	readonly work: Work;
	readonly samples: number;
	readonly rounds: number;
	readonly seed: number;
	readonly triesPerAsk?: number;
}

/** Returns the mean score of honest work, and what each order adds to it. */
export function playOrders({ work, samples, rounds, seed, triesPerAsk = 1 }: Obeying): { honest: number; gains: Record<string, number> } {
	const play = (order?: Order) => {
		const random = seeded(seed);
		const fails = () => false;
		const change = order === undefined ? {} : { order };
		return mean(
			Array.from({ length: rounds }, () =>
				scoreOf(evaluateByCalls(work, samples, { noise: NOISE, random, fails, triesPerAsk, ...change })),
			),
		);
	};
	const honest = play();
	return { honest, gains: Object.fromEntries(Object.entries(ORDERS).map(([name, order]) => [name, play(order) - honest])) };
}

export const bestGain = (gains: Readonly<Record<string, number>>) => Math.max(...Object.values(gains));

/**
 * Plays candidates of a final round that deserve the same score, with a supplier that sends error bodies. Returns the percentage that loses
 * ten points or more.
 */
export function playRoundWithErrors(rounds: number, rate: number, seed: number): number {
	return playStumbles({ samples: ROUND_SAMPLES, rounds, seed, supplier: unreadable(rate) }).tenPoints;
}
