import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { idParams, score, submissionId, text } from "../../../http/fields.ts";
import { receiptKeysView } from "../judgements/schemas.ts";

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
			.describe("Scores of single criteria, if you have them."),
		error_message: text({ min: 1, max: 5000 })
			.nullish()
			.describe("Why there is no score. The submission then ends as `evaluation_failed`."),
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

/** Reasonings of fifty criteria at their longest. */
const EXTERNAL_SCORE_BODY_LIMIT_BYTES = 4 * 1_048_576;

export const postExternalScore = contractOf({
	method: "post",
	path: "/api/v1/submissions/{id}/external-score",
	operationId: "postExternalScore",
	summary: "Post the score of an outside judge",
	description:
		"For the poster's own service, authorised by the task's callback token in the body. A registered submission can be scored before its artifact is uploaded. With error_message the evaluation ends as failed and no score is written.",
	tags: ["Submissions"],
	auth: "callback",
	rate: "general",
	params: idParams,
	body: { schema: externalScoreRequest, required: true, maxBytes: EXTERNAL_SCORE_BODY_LIMIT_BYTES, faultCode: "VALIDATION_ERROR" },
	response: {
		status: 200,
		description: "What became of the submission.",
		schema: z.object({
			submission_id: submissionId,
			status: z.enum(["completed", "evaluation_failed"]).describe("The new status of the submission."),
			evaluated: z.boolean().describe("Whether the submission now has a score."),
			final_score: score.nullable().describe("Median over all evaluations of the submission. Null after an `error_message`."),
			evaluation_id: z.uuid().nullable().describe("The id of the new evaluation. Null after an `error_message`."),
		}),
	},
	errors: ["NOT_FOUND", "WRONG_EVAL_MODE", "ALREADY_SCORED", "WRONG_STATUS", "EVAL_WRITE_FAILED"],
});

export const getReceiptKeys = contractOf({
	method: "get",
	path: "/.well-known/jwks.json",
	shared: { seconds: 60, of: "deployment" },
	operationId: "getReceiptKeys",
	summary: "Get the keys that verify receipts",
	description:
		"A JSON Web Key Set (RFC 7517). Keys that have signed a receipt stay listed for good. If a receipt names a key that is not in your copy, fetch it again.",
	tags: ["Submissions"],
	auth: "none",
	rate: "general",
	response: {
		status: 200,
		description: "The keys.",
		schema: receiptKeysView,
		headers: { "Cache-Control": "How long the keys may be kept." },
	},
	errors: [],
});
