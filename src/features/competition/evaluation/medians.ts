// What a submission shows of several evaluations: medians, so that asking again cannot be farmed.
import { median, medianOfKnown } from "../../../domain/scores.ts";
import type { EvaluationReport, ResultTexts } from "../judgements/report.ts";

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
