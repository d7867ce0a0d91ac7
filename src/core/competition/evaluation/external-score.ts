// What an external judge posts about a submission, and how it becomes the result of an evaluation.
import * as z from "zod";
import { invalidInput } from "../../../domain/errors.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { roundScore } from "../../../domain/scores.ts";
import { score, text } from "../../../http/fields.ts";
import type { EvaluationResult } from "../../../ports/judgement.ts";
import { findUnknownDimensions } from "../../judging/rules.ts";

export const externalScoreRequest = z
	.object({
		callback_token: z.string().max(200).describe("The token from the evaluation request."),
		final_score: score.nullish().describe("The score of the submission. Required unless you send `error_message`."),
		reasoning: text({ max: 50_000 }).nullish().describe("Why the submission got this score."),
		dimensions: z
			.array(
				z.object({
					criterion_name: text({ min: 1, max: 200 }).describe("The name of a criterion in the task's rubric."),
					score: score.describe("The score of this criterion."),
					reasoning: text({ max: 50_000 }).nullish().describe("Why this criterion got this score."),
				}),
			)
			.max(50)
			.nullish()
			.describe("Scores of individual criteria, if you have them."),
		error_message: text({ min: 1, max: 5000 })
			.nullish()
			.describe(
				"Why there is no score. After a re-evaluation, the submission gets its earlier status back. Otherwise it becomes `evaluation_failed`.",
			),
	})
	.refine((body) => body.final_score != null || body.error_message != null, {
		path: ["final_score"],
		message: "is required unless error_message is given",
	})
	.meta({
		id: "ExternalScoreRequest",
		description: "The result of an external judge.",
		adds: {
			if: { required: ["error_message"], properties: { error_message: { type: "string" } } },
			else: { required: ["final_score"], properties: { final_score: { type: "number" } } },
		},
	});

export type ExternalScore = z.output<typeof externalScoreRequest>;

/** @throws AppError `VALIDATION_ERROR` unless each dimension names a different criterion of the rubric. */
export function assertKnownDimensions(posted: ExternalScore, criteria: readonly { readonly name: string }[]): void {
	const unknown = findUnknownDimensions({ dimensions: posted.dimensions ?? [] }, criteria);
	if (unknown.length === 0) return;
	throw invalidInput(
		"VALIDATION_ERROR",
		unknown.map((name) => ({
			path: "dimensions",
			message: `${JSON.stringify(name)} is not a criterion of the rubric, or is listed twice`,
		})),
	);
}

export function toOutsideResult(
	posted: ExternalScore,
	criteria: readonly { readonly name: string; readonly weight: number }[],
): EvaluationResult {
	const dimensions = (posted.dimensions ?? []).map(({ criterion_name, score, reasoning }) => ({
		criterion: criterion_name,
		weight: criteria.find((criterion) => criterion.name === criterion_name)?.weight ?? 0,
		score: roundScore(score),
		reasoning: reasoning ?? "",
	}));
	return {
		finalScore: roundScore(posted.final_score ?? 0),
		testScore: null,
		llmScore: null,
		containerScore: null,
		dimensions,
		samples: {},
		reasoning: posted.reasoning ?? "",
		breakdown: { judge: "external" },
		ownerBreakdown: null,
		judge: "external",
		models: [],
		...{ confirmedBy: null, promptVersion: null, temperature: null },
		imageDigest: null,
	};
}

export function outsideFault(message: string): EvaluationFault {
	return new EvaluationFault(message, { blame: "submission", isRetryable: false, failure: "outside_judge" });
}
