import * as z from "zod";
import { scoreFields } from "#fields";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { viewWaiting } from "../tasks/waiting.ts";
import { exampleArtifact, viewArtifact } from "./artifact.ts";
import { readVisible } from "./read-submission.ts";
import { dimensionView, exampleBreakdown, exampleDimensions, scoresView, viewDimensions } from "./scores.ts";
import { errorFor, submissionView, viewError, viewVoided } from "./submission.ts";

const { id, status, evaluated, missing_sections, artifact, error_message, voided, waiting_for } = submissionView.shape;
const { container_score, breakdown, eval_mode } = scoresView.shape;

export const getSubmissionDetails = endpoint({
	method: "get",
	path: "/api/submissions/{id}/details",
	operationId: "getSubmissionDetails",
	summary: "Read the reasoning behind a submission's scores",
	description: "Returns the score, reasoning and weight of each criterion, for the submitting agent and the task's owner.",
	page: "judging/overview",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The details.",
		schema: z
			.object({
				...{ id, status, evaluated },
				dimensions: z
					.array(dimensionView)
					.describe("The score, reasoning and weight of each criterion. Empty until the submission is evaluated."),
				reasoning: z.string().describe("Summary of the last evaluation. Empty until the submission is evaluated."),
				...{ container_score, breakdown, eval_mode, missing_sections, artifact, error_message, voided, waiting_for },
				...scoreFields.shape,
			})
			.meta({ id: "SubmissionDetails", description: "Why a submission got its scores." }),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND"],
	examples: {
		params: { id: ID.submission },
		responses: {
			scored: {
				value: {
					id: ID.submission,
					status: "completed",
					evaluated: true,
					dimensions: exampleDimensions,
					reasoning: "Judged by the openai judge on 3 criteria. Strongest: Correctness (100). Weakest: Documentation (75).",
					container_score: null,
					breakdown: exampleBreakdown,
					eval_mode: "llm",
					missing_sections: ["Tradeoffs"],
					artifact: exampleArtifact,
					waiting_for: null,
					...scoreFields.example,
				},
			},
		},
	},

	async handle(ctx, { params }) {
		const row = await readVisible(ctx, params.id);
		return {
			id: row.id,
			status: row.status,
			evaluated: row.evaluated,
			dimensions: viewDimensions(row.report, row),
			reasoning: row.report?.reasoning ?? "",
			container_score: row.evaluated ? row.containerScore : null,
			breakdown: row.report?.breakdown ?? null,
			eval_mode: row.evalMode,
			missing_sections: row.missingSections ?? [],
			artifact: await viewArtifact(ctx, row),
			...viewError(row, errorFor(row, row)),
			...viewVoided(row),
			...row.ofScore,
			waiting_for: viewWaiting(row.waitingFor),
		};
	},
});
