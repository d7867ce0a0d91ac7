// What a submission shows of several evaluations: medians, so that asking again cannot be farmed.
import { median, medianOfKnown } from "../../domain/scores.ts";
import type { EvaluationResult } from "../judging/work.ts";
import type { EvaluationReport } from "./report.ts";

interface Scores {
	readonly finalScore: number;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
}

/** Each score is the median of its kind. */
export function mergeScores(all: readonly Scores[]) {
	return {
		finalScore: median(all.map((row) => row.finalScore)),
		testScore: medianOfKnown(all.map((row) => row.testScore)),
		llmScore: medianOfKnown(all.map((row) => row.llmScore)),
		containerScore: medianOfKnown(all.map((row) => row.containerScore)),
	};
}

/** The texts of a result. */
export type ResultTexts = Pick<EvaluationResult, "reasoning" | "dimensions" | "breakdown" | "ownerBreakdown">;

interface Merged {
	/** The evaluations that make up the score, the newest included. */
	readonly counted: readonly { readonly dimensions: readonly { readonly criterion: string; readonly score: number }[] }[];
	/** How many evaluations the submission has. */
	readonly evaluations: number;
}

/** The newest reasoning with the median score of each criterion. */
export function mergeReport(result: ResultTexts, { counted, evaluations }: Merged): EvaluationReport {
	const dimensions = result.dimensions.map(({ criterion, weight, score, reasoning }) => {
		const known = counted.flatMap((row) =>
			row.dimensions.filter((dimension) => dimension.criterion === criterion).map((dimension) => dimension.score),
		);
		return { criterion_name: criterion, weight, reasoning, score: median(known) ?? score };
	});
	const breakdown = { ...result.breakdown, evaluations };
	return { reasoning: result.reasoning, dimensions, breakdown, ownerBreakdown: result.ownerBreakdown };
}

/** The report of a single judgement, such as a dry run's. */
export function singleReport({ reasoning, dimensions, breakdown, ownerBreakdown }: ResultTexts): EvaluationReport {
	return {
		reasoning,
		dimensions: dimensions.map(({ criterion, ...dimension }) => ({ ...dimension, criterion_name: criterion })),
		breakdown: { ...breakdown },
		ownerBreakdown: ownerBreakdown === null ? null : { ...ownerBreakdown },
	};
}
