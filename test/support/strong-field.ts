// Plays a field of strong works, judged by levels. Medians of a few levels are often equal, so a final round ends in ties.
import type { SampleRecords } from "../../src/domain/evaluation-rounds.ts";
import { median, weightedScore } from "../../src/domain/scores.ts";
import {
	boundTieScores,
	chooseCompared,
	findContests,
	meanOfSamples,
	preferencePoints,
	resolutionOf,
	TIE_SAMPLES,
} from "../../src/features/competition/final-round/rules.ts";
import { FINAL_SAMPLES, normal, type Random } from "./farming.ts";

export interface Field {
	readonly works: number;
	readonly criteria: number;
	/** One sample deviates by this many levels. */
	readonly noise: number;
}

/** These are the audit's figures: a mean of 4.3 levels, and works that differ by half a level in each criterion. */
const MEAN_LEVEL = 4.3;
const DIFFERENCE = 0.5;
const POINTS_PER_LEVEL = 20;
/** A judge that compares two works prefers neither if they differ by less than this, in levels. */
const LEAST_DIFFERENCE = 1 / 3;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Plays one final round. Returns if the first place was tied, and if the best work is first by time and by further samples and
 * comparisons.
 */
function playStrongField({ works, criteria, noise }: Field, random: Random) {
	const names = Array.from({ length: criteria }, (_, index) => `${index}`);
	const sample = (quality: number, count: number) =>
		Array.from({ length: count }, () => {
			const level = Math.max(0, Math.min(5, Math.round(quality + noise * normal(random))));
			return { model: "noisy", level, score: level * POINTS_PER_LEVEL };
		});
	const judge = (qualities: readonly number[], count: number) => {
		const samples: SampleRecords = Object.fromEntries(names.map((name, index) => [name, sample(qualities[index] ?? 0, count)]));
		const dimensions = names.map((criterion) => {
			const score = median((samples[criterion] ?? []).map((record) => record.score)) ?? 0;
			return { criterion, weight: 100 / criteria, score };
		});
		return { samples, dimensions, finalScore: weightedScore(dimensions) };
	};
	// The order is the order of submitting, which says nothing about quality.
	const field = Array.from({ length: works }, () => {
		const qualities = names.map(() => Math.min(5, MEAN_LEVEL + DIFFERENCE * normal(random)));
		const evaluation = judge(qualities, FINAL_SAMPLES);
		return { qualities, evaluation, finalScore: evaluation.finalScore, tieScore: 0 };
	});
	const [best] = field.toSorted((a, b) => mean(b.qualities) - mean(a.qualities));
	const byTime = field.toSorted((a, b) => b.finalScore - a.finalScore);
	const contests = findContests(
		byTime,
		resolutionOf(
			names.map(() => 100 / criteria),
			100,
		),
	).map((contest) => {
		const sampled = contest.map((work) => ({ work, tieScore: meanOfSamples([work.evaluation, judge(work.qualities, TIE_SAMPLES)]) }));
		const compared = chooseCompared(sampled).map((each) => ({ ...each, submissionId: `${byTime.indexOf(each.work)}` }));
		/** Each order gives a separate opinion about the difference, with the noise of two samples. */
		const compare = ({ work, submissionId }: (typeof compared)[number]) => {
			const others = compared.filter((other) => other.submissionId !== submissionId);
			const recordOf = (name: string, other: (typeof compared)[number]) => {
				const difference = (work.qualities[Number(name)] ?? 0) - (other.work.qualities[Number(name)] ?? 0);
				const seen = difference + Math.SQRT2 * noise * normal(random);
				const score = Math.abs(seen) < LEAST_DIFFERENCE ? 50 : seen > 0 ? 100 : 0;
				return { model: "noisy", level: null, score, compared_with: other.submissionId };
			};
			const samples: SampleRecords = Object.fromEntries(names.map((name) => [name, others.map((other) => recordOf(name, other))]));
			return { submissionId, samples };
		};
		const records = compared.map(compare);
		const weights = Object.fromEntries(names.map((name) => [name, 100 / criteria]));
		for (const [index, { work }] of compared.entries()) {
			const own = records[index];
			const found = sampled.find((each) => each.work === work);
			if (own === undefined || found === undefined) throw new Error("A work was not compared.");
			const others = records.filter((other) => other !== own);
			found.tieScore += preferencePoints(own, others, weights);
		}
		return sampled.map(({ work, tieScore }) => Object.assign(work, { tieScore }));
	});
	const settled = boundTieScores(byTime, contests);
	const ranked = byTime
		.map((work) => ({ work, finalScore: settled.get(work) ?? work.finalScore, tieScore: settled.has(work) ? work.tieScore : 0 }))
		.toSorted((a, b) => b.finalScore - a.finalScore || b.tieScore - a.tieScore);
	return {
		isTied: byTime[0]?.finalScore === byTime[1]?.finalScore,
		isBestByTime: byTime[0] === best,
		isBestFirst: ranked[0]?.work === best,
	};
}

/** Plays many rounds, and returns percentages. */
export function playStrongFields(field: Field, random: Random, rounds: number) {
	const tally = { tied: 0, bestByTime: 0, bestFirst: 0 };
	for (let round = 0; round < rounds; round += 1) {
		const { isTied, isBestByTime, isBestFirst } = playStrongField(field, random);
		tally.tied += (100 * Number(isTied)) / rounds;
		tally.bestByTime += (100 * Number(isBestByTime)) / rounds;
		tally.bestFirst += (100 * Number(isBestFirst)) / rounds;
	}
	return tally;
}
