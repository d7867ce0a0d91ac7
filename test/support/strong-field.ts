// A field of strong works, judged by levels: medians of a few levels are often equal, so a final round ends in ties.
import type { SampleRecords } from "../../src/domain/evaluation-rounds.ts";
import { median, weightedScore } from "../../src/domain/scores.ts";
import { findTied, meanOfSamples, TIE_SAMPLES } from "../../src/features/competition/final-round/rules.ts";
import { FINAL_SAMPLES, normal, type Random } from "./farming.ts";

export interface Field {
	readonly works: number;
	readonly criteria: number;
	/** The deviation of one sample, in levels. */
	readonly noise: number;
}

/** As in the audit: a mean of 4.3 levels, and works that differ by half a level in each criterion. */
const MEAN_LEVEL = 4.3;
const DIFFERENCE = 0.5;
const POINTS_PER_LEVEL = 20;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Plays one final round. Says whether the first place was tied, and whether the best work is first by time and by further samples. */
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
	// The order is that of handing in, which says nothing about quality.
	const field = Array.from({ length: works }, () => {
		const qualities = names.map(() => Math.min(5, MEAN_LEVEL + DIFFERENCE * normal(random)));
		const evaluation = judge(qualities, FINAL_SAMPLES);
		return { qualities, evaluation, finalScore: evaluation.finalScore };
	});
	const [best] = field.toSorted((a, b) => mean(b.qualities) - mean(a.qualities));
	const byTime = field.toSorted((a, b) => b.finalScore - a.finalScore);
	const tied = new Set(findTied(byTime));
	const ranked = byTime
		.map((work) => {
			const further = tied.has(work) ? [judge(work.qualities, TIE_SAMPLES)] : [];
			return { work, tieScore: meanOfSamples([work.evaluation, ...further]) };
		})
		.toSorted((a, b) => b.work.finalScore - a.work.finalScore || b.tieScore - a.tieScore);
	return {
		isTied: byTime[0]?.finalScore === byTime[1]?.finalScore,
		isBestByTime: byTime[0] === best,
		isBestFirst: ranked[0]?.work === best,
	};
}

/** Plays many rounds. The results are in percent. */
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
