// The rows that `npm run bench -- judging` prints: what an audit measured of an earlier judge, what the rules give now, and the aim.
import { bestGain, HONEST, inBursts, playOrders, playRoundWithErrors, playStumbles, unreadable } from "./faults.ts";
import { playBand, playEarliestWork, playFarmers, playRanks, playStrongField } from "./rounds.ts";
import { NOISE, ROUND_SAMPLES } from "./work.ts";

/** The limit that a value must keep. Without one, the value is only printed for information. */
type Aim = { readonly atMost: number } | { readonly atLeast: number } | null;

export interface SimulatedRow {
	readonly what: string;
	/** The value with the earlier judge. Null where it was not measured. */
	readonly was: string | null;
	readonly is: number;
	readonly unit: "%" | "points" | "agents";
	readonly aim: Aim;
}

export interface Effort {
	/** How many rounds each simulation plays. */
	readonly rounds: number;
	readonly seed: number;
}

export function meetsAim({ is, aim }: Pick<SimulatedRow, "is" | "aim">): boolean {
	if (aim === null) return true;
	return "atMost" in aim ? is <= aim.atMost : is >= aim.atLeast;
}

function* stumbleRows(effort: Effort): Generator<SimulatedRow> {
	const zeroed = [
		["5 %", unreadable(0.05), "6.5"],
		["10 %", unreadable(0.1), "24.5"],
		["20 %", unreadable(0.2), "54.5"],
		["bursts of 8 in 80", inBursts, "12.2"],
	] as const;
	for (const [rate, supplier, was] of zeroed) {
		const is = playStumbles({ ...effort, samples: ROUND_SAMPLES, supplier }).zeroed;
		yield { what: `evaluations of 5 samples with a zeroed criterion, ${rate} unreadable replies`, was, is, unit: "%", aim: { atMost: 0 } };
	}
	const lost = [
		["5 %", unreadable(0.05), "3.0", { atMost: 1 }],
		["10 %", unreadable(0.1), "5.0", { atMost: 1 }],
		["20 %", unreadable(0.2), "17.0", null],
		["bursts of 8 in 80", inBursts, "12.8", { atMost: 1 }],
	] as const;
	for (const [rate, supplier, was, aim] of lost) {
		const is = playStumbles({ ...effort, samples: 1, supplier }).lostCheck;
		yield { what: `evaluations of 1 sample that lose a check, ${rate} unreadable replies`, was, is, unit: "%", aim };
	}
	const errors = playRoundWithErrors(effort.rounds, 0.1, effort.seed);
	const what = "candidates of a final round that lose 10 points or more, 10 % error bodies";
	yield { what, was: "50", is: errors, unit: "%", aim: { atMost: 0 } };
}

/** Yields the gain of the best order. To the rules, a connection that breaks after its first token is silence too. */
function* orderRows(effort: Effort): Generator<SimulatedRow> {
	const aim = { atMost: 6 };
	for (const [samples, was] of [
		[1, "-16.2"],
		[ROUND_SAMPLES, "-57.7"],
	] as const) {
		const usual = bestGain(playOrders({ ...effort, work: HONEST.usual, samples }).gains);
		yield { what: `gain by silence, samples: ${samples}`, was, is: usual, unit: "points", aim };
		yield { what: `gain by a broken connection, samples: ${samples}`, was: "17", is: usual, unit: "points", aim };
		const even = bestGain(playOrders({ ...effort, work: HONEST.even, samples }).gains);
		yield { what: `gain by either if every check is done to 64 %, samples: ${samples}`, was: null, is: even, unit: "points", aim: null };
		const early = bestGain(playOrders({ ...effort, work: HONEST.usual, samples, triesPerAsk: 3 }).gains);
		const what = `gain by a connection that breaks before its first token while no other call gets one, samples: ${samples}`;
		yield { what, was: null, is: early, unit: "points", aim: null };
	}
}

function* roundRows(effort: Effort): Generator<SimulatedRow> {
	for (const candidates of [2, 4, 12]) {
		const is = playEarliestWork(candidates, effort);
		const was = candidates <= 4 ? "100" : "0";
		yield { what: `rounds that the earliest, worst work wins, ${candidates} candidates`, was, is, unit: "%", aim: { atMost: 0 } };
	}
	const { byBand, byCap } = playBand(effort);
	yield {
		what: "of 40 equal agents, left out by the band after one re-evaluation",
		was: "15.2",
		is: byBand,
		unit: "agents",
		aim: { atMost: 3 },
	};
	yield { what: "of 40 equal agents, left out by the cap of thirty", was: null, is: byCap, unit: "agents", aim: null };
	for (const [name, was] of [
		["mixed", "23"],
		["strong", "13"],
		["equal", "9"],
	] as const) {
		const is = playRanks(name, effort);
		yield { what: `ranges of ranks with the true rank, 1 sample, ${name} field of 20`, was, is, unit: "%", aim: { atLeast: 90 } };
	}
	const strong = playStrongField(AUDITED_NOISE, effort);
	yield {
		what: "the best of a strong field of 20 is first, by medians of 5 samples",
		was: "61",
		is: strong.byMedians,
		unit: "%",
		aim: null,
	};
	yield { what: "the best of a strong field of 20 is first, by the round", was: "61", is: strong.byRound, unit: "%", aim: { atLeast: 76 } };
	const noisy = playStrongField(NOISE, effort).byRound;
	yield { what: `the same with a model as noisy as the default of JUDGE_NOISE, ${NOISE}`, was: null, is: noisy, unit: "%", aim: null };
}

/** The noise of a judge that errs by 0.7 of five levels, which is more than most models do. */
const AUDITED_NOISE = 0.14;

function* farmerRows(effort: Effort): Generator<SimulatedRow> {
	const one = playFarmers({ identities: 1 }, effort);
	yield { what: "a farmer among 20 equals is first before the round", was: "65 to 70", is: one.before, unit: "%", aim: null };
	yield { what: "a farmer among 20 equals is first after the round (fair: 5.0)", was: "5.0", is: one.after, unit: "%", aim: { atMost: 7 } };
	const same = playFarmers({ identities: 2, hasEqualFiles: true }, effort).after;
	yield { what: "a farmer with two identities and equal files (fair: 5.0)", was: null, is: same, unit: "%", aim: { atMost: 7 } };
	const different = playFarmers({ identities: 2 }, effort).after;
	yield { what: "a farmer with two identities and different files (fair: 9.5)", was: null, is: different, unit: "%", aim: { atMost: 12 } };
}

/** Simulations by group. Each group is timed separately, and its rows belong together. */
export const SIMULATIONS = {
	"Replies that cannot be read": stumbleRows,
	"A model that obeys the submission": orderRows,
	"Final rounds and ranks": roundRows,
	Farmers: farmerRows,
} as const;
