// Plays agents that gamble on a noisy judge, through the functions that score, select and rank on the platform.
import type { SampleRecords } from "../../src/domain/evaluation-rounds.ts";
import { median, weightedScore } from "../../src/domain/scores.ts";
import { finalScoreSpread, medianSpread } from "../../src/domain/spread.ts";
import { assumeSpread, selectCandidates } from "../../src/features/competition/final-round/rules.ts";

/** This is the default of `JUDGE_SPREAD_POINTS`. */
const PRIOR_SPREAD = 6;
/** One evaluation's final score deviates by this many points. */
export const DEVIATION = 5;
/** A criterion gets this many samples in one evaluation. */
export const SAMPLES = 3;
/** A criterion gets this many samples in a final round. */
export const FINAL_SAMPLES = 5;
export const HOURS = 24;
export const COPIES = 15;

const CRITERIA = ["A", "B", "C", "D", "E"];
export const RUBRIC = CRITERIA.map((name) => ({ name, weight: 100 / CRITERIA.length }));
const WEIGHTS = Object.fromEntries(RUBRIC.map(({ name, weight }) => [name, weight]));
/** Five medians of three samples, each a fifth of the score, together deviate by {@link DEVIATION}. */
const SAMPLE_DEVIATION = (DEVIATION * Math.sqrt(CRITERIA.length)) / Math.sqrt(0.4487);

/** One sample for each criterion deviates by 0.7 levels, the most of single samples of the audited models. */
export const ONE_SAMPLE: Noise = { samples: 1, deviation: 14 };
const THREE_SAMPLES: Noise = { samples: SAMPLES, deviation: SAMPLE_DEVIATION };

interface Noise {
	/** Each criterion gets this many samples. */
	readonly samples: number;
	/** This is the standard deviation between samples, in points. */
	readonly deviation: number;
}

export type Random = () => number;

/** Returns the same numbers for the same seed (mulberry32). */
export function seeded(seed: number): Random {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** Returns a normal number with mean 0 and deviation 1. */
export function normal(random: Random): number {
	return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export interface Judgement {
	readonly samples: SampleRecords;
	readonly dimensions: readonly { readonly criterion: string; readonly weight: number; readonly score: number }[];
	readonly finalScore: number;
	readonly spread: number | null;
}

/** Returns a noisy judge's score for work of this quality. */
export function judge(quality: number, samplesEach: number, random: Random, deviation = SAMPLE_DEVIATION): Judgement {
	const samples = Object.fromEntries(
		CRITERIA.map((name) => [
			name,
			Array.from({ length: samplesEach }, () => ({ model: "noisy", level: null, score: quality + deviation * normal(random) })),
		]),
	);
	const dimensions = RUBRIC.map(({ name, weight }) => {
		return { criterion: name, weight, score: median((samples[name] ?? []).map(({ score }) => score)) ?? 0 };
	});
	return {
		samples,
		dimensions,
		finalScore: weightedScore(dimensions),
		spread: finalScoreSpread({ samples, weights: WEIGHTS, share: 100 }),
	};
}

/** One submission with its evaluations so far. */
export interface Try {
	readonly quality: number;
	readonly evaluations: Judgement[];
}

export function scoreOf({ evaluations }: Try): number {
	return median(evaluations.map(({ finalScore }) => finalScore)) ?? 0;
}

export function handIn(quality: number, random: Random, { samples, deviation } = THREE_SAMPLES): Try {
	return { quality, evaluations: [judge(quality, samples, random, deviation)] };
}

export function bestOf(tries: readonly Try[]): Try {
	const best = tries.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
	if (best === undefined) throw new Error("Nothing was handed in.");
	return best;
}

/** Submits fifteen copies. Each hour all but the best are judged again, so that the best score of all times stays. */
export function farm(quality: number, random: Random, noise = THREE_SAMPLES): Try[] {
	const { samples, deviation } = noise;
	const tries = Array.from({ length: COPIES }, () => handIn(quality, random, noise));
	for (let hour = 0; hour < HOURS; hour += 1) {
		const leader = bestOf(tries);
		for (const each of tries) if (each !== leader) each.evaluations.push(judge(quality, samples, random, deviation));
	}
	return tries;
}

export interface Player {
	readonly name: string;
	readonly tries: readonly Try[];
	readonly pick?: Try;
}

/** Returns the name of the player who comes first, before and after the final round. */
export function winners(players: readonly Player[], random: Random) {
	const board = players
		.map(({ name, tries, pick }) => {
			const best = bestOf(tries);
			return { name, candidate: pick ?? best, finalScore: scoreOf(best), spread: medianSpread(best.evaluations) };
		})
		.toSorted((a, b) => b.finalScore - a.finalScore);
	const known = board.flatMap(({ spread }) => (spread === null ? [] : [spread]));
	const widest = assumeSpread(known.length === 0 ? null : Math.max(...known), { llmWeight: 100, spread: PRIOR_SPREAD });
	const confirmed = selectCandidates(board, widest)
		.map(({ name, candidate }) => ({ name, score: judge(candidate.quality, FINAL_SAMPLES, random).finalScore }))
		.toSorted((a, b) => b.score - a.score);
	return { provisional: board[0]?.name, confirmed: confirmed[0]?.name, candidates: confirmed.length };
}
