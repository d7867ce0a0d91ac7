// Plays leaderboards and final rounds by the rules of the platform.

import { normal, type Random, seeded } from "../../../scripts/support/seeded.ts";
import type { CheckSamples } from "../../../src/domain/checks.ts";
import { median } from "../../../src/domain/scores.ts";
import { selectBand } from "../../../src/extensions/final-round/band.ts";
import { shareJudgement } from "../../../src/extensions/final-round/equal-files.ts";
import { findNearTies } from "../../../src/extensions/final-round/near-ties.ts";
import { FURTHER_SAMPLES } from "../../../src/extensions/final-round/rules.ts";
import { rankRange } from "../../../src/fields/rank-range.ts";
import {
	CHECKS,
	CRITERIA,
	evenWork,
	joinSamples,
	judgeWork,
	mean,
	NOISE,
	predictedDeviation,
	qualityOf,
	ROUND_SAMPLES,
	scoreOf,
	type Work,
} from "./work.ts";

interface Candidate {
	readonly submissionId: string;
	readonly work: Work;
	readonly finalScore: number;
	readonly deviation: number;
	readonly filesSha256: string | null;
	readonly acceptedAt: number;
}

interface Judging {
	readonly noise: number;
	readonly random: Random;
}

/** Plays a final round. Returns its candidates, best first. */
function playRound(board: readonly Candidate[], judging: Judging): { readonly submissionId: string; readonly finalScore: number }[] {
	const { candidates } = selectBand(board.toSorted((a, b) => b.finalScore - a.finalScore));
	const shared = shareJudgement(candidates);
	const judged = new Map<string, { readonly work: Work; readonly samples: CheckSamples }>();
	for (const { submissionId, judgedId, work } of shared) {
		if (submissionId === judgedId) judged.set(submissionId, { work, samples: judgeWork(work, ROUND_SAMPLES, judging) });
	}
	const score = () => shared.map((candidate) => ({ ...candidate, finalScore: scoreOf(judged.get(candidate.judgedId)?.samples ?? {}) }));
	for (const id of new Set(findNearTies(score()).map(({ judgedId }) => judgedId))) {
		const known = judged.get(id);
		if (known === undefined) continue;
		judged.set(id, { ...known, samples: joinSamples(known.samples, judgeWork(known.work, FURTHER_SAMPLES, judging)) });
	}
	return score().toSorted((a, b) => b.finalScore - a.finalScore || a.acceptedAt - b.acceptedAt);
}

/** Submits work that gets one sample. */
function handIn(work: Work, index: number, judging: Judging): Candidate {
	return {
		submissionId: `${index}`,
		work,
		finalScore: scoreOf(judgeWork(work, 1, judging)),
		deviation: predictedDeviation(1),
		filesSha256: null,
		acceptedAt: index,
	};
}

interface Plays {
	readonly rounds: number;
	readonly seed: number;
}

const percentOf = ({ rounds, seed }: Plays, play: (random: Random) => boolean) => {
	const random = seeded(seed);
	let count = 0;
	for (let round = 0; round < rounds; round += 1) if (play(random)) count += 1;
	return (100 * count) / rounds;
};

/**
 * Strong submissions have 86 points on average. Their criteria differ by half a level of five. Their checks differ more, because a check is
 * usually done or not done.
 */
const STRONG = { mean: 0.86, betweenCriteria: 0.1, betweenChecks: 0.35 };
const MIXED = { mean: 0.6, deviation: 0.2 };

function strongField(size: number, random: Random): Work[] {
	const within = (value: number) => Math.max(0, Math.min(1, value));
	const criterion = () => {
		const middle = STRONG.mean + STRONG.betweenCriteria * normal(random);
		return Array.from({ length: CHECKS }, () => within(middle + STRONG.betweenChecks * normal(random)));
	};
	return Array.from({ length: size }, () => Array.from({ length: CRITERIA }, criterion));
}

/** Returns submissions that are good or bad in everything. */
function mixedField(size: number, random: Random): Work[] {
	return Array.from({ length: size }, () => evenWork(MIXED.mean + MIXED.deviation * normal(random)));
}

type Pick = (board: readonly Candidate[], judging: Judging) => string | undefined;

/** Finds the winner by medians of five samples, and then by the time. Ignores the noise of the rubric, and takes no further samples. */
const firstByMedians: Pick = (board, judging) => {
	const judged = board.map(({ submissionId, work, acceptedAt }) => {
		const samples = Object.values(judgeWork(work, ROUND_SAMPLES, judging));
		return { submissionId, acceptedAt, finalScore: mean(samples.map((each) => median(each.map(({ score }) => score)) ?? 0)) };
	});
	return judged.toSorted((a, b) => b.finalScore - a.finalScore || a.acceptedAt - b.acceptedAt)[0]?.submissionId;
};

/**
 * Returns how often the best of 20 strong submissions comes first: by medians of five samples, and by a final round.
 *
 * @param noise How much the model's answers deviate. The platform assumes its default.
 */
export function playStrongField(noise: number, plays: Plays): { readonly byMedians: number; readonly byRound: number } {
	const play = (pick: Pick) =>
		percentOf(plays, (random) => {
			const judging = { noise, random };
			const board = strongField(20, random).map((work, index) => handIn(work, index, judging));
			const [best] = board.toSorted((a, b) => qualityOf(b.work) - qualityOf(a.work));
			return pick(board, judging) === best?.submissionId;
		});
	return { byMedians: play(firstByMedians), byRound: play((board, judging) => playRound(board, judging)[0]?.submissionId) };
}

/**
 * Returns how often the earliest submission comes first among better ones. It has little beyond the starter files that all submissions
 * have.
 */
export function playEarliestWork(candidates: number, plays: Plays): number {
	return percentOf(plays, (random) => {
		const judging = { noise: NOISE, random };
		const works = [evenWork(0.6), ...Array.from({ length: candidates - 1 }, () => evenWork(0.8))];
		const board = works.map((work, index) => ({ ...handIn(work, index, judging), filesSha256: `files of ${index}` }));
		return playRound(board, judging)[0]?.submissionId === "0";
	});
}

/**
 * Returns how many of 40 equal agents a final round leaves out after one of them has asked for another evaluation: by the band, and by the
 * maximum number of candidates.
 */
export function playBand({ rounds, seed }: Plays): { readonly byBand: number; readonly byCap: number } {
	const random = seeded(seed);
	const tally = { byBand: 0, byCap: 0 };
	for (let round = 0; round < rounds; round += 1) {
		const judging = { noise: NOISE, random };
		const work = evenWork(0.64);
		const board = Array.from({ length: 40 }, (_, index) => handIn(work, index, judging));
		const asked = board.map((entry, index) => (index === 0 ? reevaluate(entry, judging) : entry));
		const { candidates, leftOut } = selectBand(asked.toSorted((a, b) => b.finalScore - a.finalScore));
		tally.byCap += leftOut.length / rounds;
		tally.byBand += (asked.length - candidates.length - leftOut.length) / rounds;
	}
	return tally;
}

/** Adds a second evaluation, which counts with the first one. It changes the score, but nothing that the band depends on. */
function reevaluate(entry: Candidate, judging: Judging): Candidate {
	const again = scoreOf(judgeWork(entry.work, 1, judging));
	return { ...entry, finalScore: median([entry.finalScore, again]) ?? again };
}

const FIELDS = {
	mixed: (random: Random) => mixedField(20, random),
	strong: (random: Random) => strongField(20, random),
	equal: () => Array.from({ length: 20 }, () => evenWork(0.64)),
} as const;

/** Returns the percentage of entries whose true rank is in the range that a leaderboard of one sample shows. */
export function playRanks(fieldName: keyof typeof FIELDS, { rounds, seed }: Plays): number {
	const random = seeded(seed);
	let inside = 0;
	let all = 0;
	for (let round = 0; round < rounds; round += 1) {
		const judging = { noise: NOISE, random };
		const entries = FIELDS[fieldName](random).map((work, index) => handIn(work, index, judging));
		// Equal submissions rank in the order in which they were submitted, which no judge can know.
		const truth = entries.toSorted((a, b) => qualityOf(b.work) - qualityOf(a.work));
		const board = entries
			.map((entry) => ({ ...entry, samples: 1, rankKey: "2" }))
			.toSorted((a, b) => b.finalScore - a.finalScore || a.acceptedAt - b.acceptedAt);
		for (const [index, entry] of board.entries()) {
			const neighbours = { above: board.slice(0, index), below: board.slice(index + 1), noiseOf: () => entry.deviation };
			const { rankLow, rankHigh } = rankRange(entry, index + 1, neighbours);
			const rank = 1 + truth.findIndex(({ submissionId }) => submissionId === entry.submissionId);
			all += 1;
			if (rank >= rankLow && rank <= rankHigh) inside += 1;
		}
	}
	return (100 * inside) / all;
}

/** A farmer submits this many copies, and in each of these hours asks for another evaluation of all copies except the best one. */
const FARMED = { copies: 15, hours: 24 } as const;

/** How many evaluations of equal submissions are drawn in advance, because each evaluation takes as long as a draw of twenty answers. */
const POOL = 5000;

/** Returns the best score that a farmer's copies reach, each with the median of its evaluations. */
function farm(draw: () => number): number {
	const copies = Array.from({ length: FARMED.copies }, () => [draw()]);
	const best = () => copies.map((scores) => median(scores) ?? 0);
	for (let hour = 0; hour < FARMED.hours; hour += 1) {
		const scores = best();
		const leader = scores.indexOf(Math.max(...scores));
		for (const [index, copy] of copies.entries()) if (index !== leader) copy.push(draw());
	}
	return Math.max(...best());
}

interface Farmer {
	/** The number of names under which the farmer competes with 19 honest agents. */
	readonly identities: number;
	/** True if the farmer's identities submit the same files. */
	readonly hasEqualFiles?: boolean;
}

/** Returns how often a farmer comes first among equal agents, before and after the round. */
export function playFarmers({ identities, hasEqualFiles = false }: Farmer, { rounds, seed }: Plays): { before: number; after: number } {
	const random = seeded(seed);
	const judging = { noise: NOISE, random };
	const work = evenWork(0.64);
	const pool = Array.from({ length: POOL }, () => scoreOf(judgeWork(work, 1, judging)));
	const draw = () => pool[Math.floor(random() * POOL)] ?? 0;
	const tally = { before: 0, after: 0 };
	for (let round = 0; round < rounds; round += 1) {
		// Of equal scores, the earlier submission wins, so the farmer's place among the others is random.
		const from = Math.floor(random() * 20);
		const isFarmer = (index: number) => index >= from && index < from + identities;
		const board = Array.from({ length: 19 + identities }, (_, index) => ({
			...handIn(work, index, judging),
			finalScore: isFarmer(index) ? farm(draw) : draw(),
			filesSha256: hasEqualFiles && isFarmer(index) ? "the farmer's files" : null,
		}));
		const [first] = board.toSorted((a, b) => b.finalScore - a.finalScore);
		const [winner] = playRound(board, judging);
		if (isFarmer(Number(first?.submissionId))) tally.before += 100 / rounds;
		if (isFarmer(Number(winner?.submissionId))) tally.after += 100 / rounds;
	}
	return tally;
}
