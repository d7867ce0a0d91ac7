// The view of a submission's scores and its criteria's scores.
import * as z from "zod";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { FINDINGS } from "../../../domain/checks.ts";
import { AT, DIMENSIONS, FINAL_SCORE } from "../../../domain/example-story.ts";
import { type EvalMode, MODES } from "../../../domain/modes.ts";
import { roundScore } from "../../../domain/scores.ts";
import { score, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { ReaderReport } from "../judgements/report.ts";
import { evalMode } from "../tasks/task.ts";

export const scoresView = z
	.object({
		final_score: score.describe("The score that counts on the leaderboard."),
		test_score: score.nullable().describe("The score of the tests. Null if no tests ran."),
		llm_score: score.nullable().describe("The score of the language model. Null if no model judged the submission."),
		container_score: score.nullable().describe("The score of the poster's image. Null if no image ran."),
		breakdown: z
			.record(z.string(), z.unknown())
			.nullable()
			.describe(
				"Details of the last evaluation, such as the judge, the files that it read, its evidence and the result of each test. Null if there are none.",
			),
		eval_mode: evalMode.describe("How the submission was judged."),
		evaluated_at: timestamp.describe("When the last evaluation ended."),
	})
	.meta({
		id: "Scores",
		description: "The scores of a submission. Each one is the median of the evaluations that count, usually all of them.",
	});

export const checksView = z
	.array(
		z
			.object({
				check: z.string().describe("The check, as in the rubric."),
				found: z
					.enum(FINDINGS)
					.describe(
						"Whether the files satisfy the check. `not_seen` counts as no: the answer may be in files that the judge was not shown.",
					),
				evidence: z
					.array(
						z
							.object({
								path: z.string().describe("The file."),
								start: z.number().int().min(1).describe("The number of the first quoted line, counted from 1."),
								end: z.number().int().min(1).describe("The number of the last quoted line."),
								quote: z
									.string()
									.optional()
									.describe("The text of the lines. Missing for the owner of a sealed task until the task is closed."),
							})
							.meta({ id: "Quote", description: "A quote that the platform found in the files." }),
					)
					.describe("The quotes that prove the answer."),
			})
			.meta({ id: "AnsweredCheck", description: "A judge's answer to one check of a criterion." }),
	)
	.describe("The checks of the criterion with the answers of the last evaluation. Only in the modes llm and hybrid.");

export const gapsView = z.array(z.string()).describe("What the last evaluation found missing. Only in the modes llm and hybrid.");

export const dimensionView = z
	.object({
		criterion_name: z.string().describe("The name of the criterion in the task's rubric."),
		score: score.describe("The criterion's score: the median of the evaluations that count, usually all of them."),
		reasoning: z.string().describe("Why the criterion got its score in the last evaluation."),
		checks: checksView.optional(),
		gaps: gapsView.optional(),
		weight: z.number().describe("The criterion's share of the score, in percent."),
		potential_points: z
			.number()
			.nullable()
			.describe("Points that the criterion could still add to `final_score`. Null in the modes container and external."),
	})
	.meta({ id: "Dimension", description: "The score of one criterion." });

/** Returns null until the submission is evaluated, and while it is being re-evaluated. */
export function viewScores(
	row: Pick<SubmissionRow, "evaluated" | "evaluatedAt" | "finalScore" | "testScore" | "llmScore" | "containerScore">,
	mode: EvalMode,
	report: ReaderReport | null,
) {
	if (!row.evaluated || row.finalScore === null || row.evaluatedAt === null) return null;
	return {
		final_score: row.finalScore,
		test_score: row.testScore,
		llm_score: row.llmScore,
		container_score: row.containerScore,
		breakdown: report?.breakdown ?? null,
		eval_mode: mode,
		evaluated_at: toIso(row.evaluatedAt),
	};
}

/** The settings of a task that turn the criteria's scores into the final score. */
export interface Scoring {
	readonly evalMode: EvalMode;
	readonly llmWeight: number;
}

export function viewDimensions(report: ReaderReport | null, scoring: Scoring) {
	const dimensions = report?.dimensions ?? [];
	// While criteria of the final round do not count, the weights of the others sum to less than 100, so each share is relative to their
	// sum.
	const total = dimensions.reduce((sum, { weight }) => sum + weight, 0);
	return dimensions.map(({ criterion_name, score, reasoning, weight, checks, gaps }) => ({
		criterion_name,
		score,
		reasoning,
		...(MODES[scoring.evalMode].usesJudge ? { checks, gaps } : {}),
		weight,
		potential_points: potentialPoints({ score, share: weight / total }, scoring),
	}));
}

/** Returns null if an image or a service sets the final score, because criteria then add nothing to it. */
function potentialPoints({ score, share }: { score: number; share: number }, { evalMode, llmWeight }: Scoring): number | null {
	if (!MODES[evalMode].usesJudge) return null;
	return roundScore((100 - score) * share * (llmWeight / 100));
}

export const exampleDimensions = DIMENSIONS.map((dimension, index) => ({
	...dimension,
	weight: [60, 25, 15][index] ?? 0,
	potential_points: [0, 6.25, 3.75][index] ?? 0,
}));

export const exampleBreakdown = {
	judge: "openai",
	models: ["openai:gpt-5.2"],
	files_read: 14,
	files_not_read: ["samples/statement.pdf"],
	injection_suspected: [],
} as const;

export const exampleScores = {
	final_score: FINAL_SCORE,
	test_score: null,
	llm_score: FINAL_SCORE,
	container_score: null,
	breakdown: exampleBreakdown,
	eval_mode: "llm",
	evaluated_at: AT.evaluated,
} as const;
