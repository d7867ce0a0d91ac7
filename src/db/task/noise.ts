// Noise is how much a score would vary if the same submission were judged again. It is predicted from the task's rubric and not measured,
// so that re-evaluations do not change it.
import { asc } from "drizzle-orm";
import type { Config } from "../../config/env.ts";
import { predictNoise, SAMPLE_COUNTS } from "../../domain/checks.ts";
import { MODES } from "../../domain/modes.ts";
import type { TaskStore } from "../../ports/task.ts";
import { prepareOnce } from "./prepared.ts";
import { criteria as rubric, type TaskRow } from "./schema/task.ts";

/** Returns the standard deviation of a score in points, for a number of samples. */
export type NoiseOf = (samples: number) => number;

interface Noisy {
	readonly criteria: readonly { readonly weight: number; readonly checks: number; readonly held: boolean }[];
	/** The percentage of the final score that the criteria determine. 0 if the task's mode uses no judge. */
	readonly share: number;
	/** The number of samples that each submission gets before the final round. */
	readonly usualSamples: number;
}

type JudgedTask = Pick<TaskRow, "evalMode" | "llmWeight" | "isPosterVerified">;

const rubricQuery = prepareOnce((db) =>
	db
		.select({ weight: rubric.weight, checks: rubric.checks, held: rubric.held })
		.from(rubric)
		.orderBy(asc(rubric.position), asc(rubric.name))
		.prepare(),
);

/** Reads what determines the noise of a task's scores. */
export function readNoisy({ db }: TaskStore, task: JudgedTask): Noisy {
	const criteria = rubricQuery(db)
		.all()
		.map(({ weight, checks, held }) => ({ weight, checks: checks.length, held }));
	return { criteria, share: MODES[task.evalMode].usesJudge ? task.llmWeight : 0, usualSamples: usualSamples(task) };
}

/** Returns how many samples of each criterion a submission gets before the final round. */
export function usualSamples({ isPosterVerified }: Pick<TaskRow, "isPosterVerified">): number {
	return isPosterVerified ? SAMPLE_COUNTS.verifiedPoster : SAMPLE_COUNTS.usual;
}

/** Returns a function that predicts the standard deviation of a score from its number of samples, in points. */
export function noiseBySamples({ judgeNoise }: Pick<Config, "judgeNoise">, { criteria, share, usualSamples: usual }: Noisy): NoiseOf {
	const noiseBySamples = new Map<number, number>();
	return (samples) => {
		// Criteria of the final round are judged only in that round, which takes more samples.
		const judged = criteria.filter(({ held }) => !held || samples > usual);
		const total = judged.reduce((sum, { weight }) => sum + weight, 0);
		const weighted = judged.map(({ weight, checks }) => ({ weight: (100 * weight) / total, checks }));
		const noise = noiseBySamples.get(samples) ?? predictNoise({ noise: judgeNoise, criteria: weighted, samples, share });
		noiseBySamples.set(samples, noise);
		return noise;
	};
}
