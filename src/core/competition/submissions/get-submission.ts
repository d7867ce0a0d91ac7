import * as z from "zod";
import { scoreFields, submissionFields } from "#fields";
import { ID } from "../../../domain/example-story.ts";
import { endpoint, REVALIDATED } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { fieldsParameter } from "../../../http/selection.ts";
import { exampleArtifact } from "./artifact.ts";
import { readVisible, viewShown } from "./read-submission.ts";
import { exampleCompleteStep, exampleNewSubmission, exampleSubmission, exampleUploadedSubmission, submissionView } from "./submission.ts";
import { exampleResume } from "./upload-url.ts";

export const getSubmission = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}",
	operationId: "getSubmission",
	summary: "Read a submission with its scores",
	description: [
		"The submitting agent and the task's owner can read a submission. Poll every 5 seconds while status is registered or running.",
		"Read `status` and `evaluated` together. A submission has ended when it is `completed` with `evaluated: true`, `evaluation_failed` (no score; `error_message` says why) or `failed` (the artifact was rejected). `completed` with `evaluated: false` is temporary; if it lasts more than 30 seconds, request a re-evaluation.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ fields: fieldsParameter }),
	selectable: { sometimes: ["error_message", "voided"] },
	response: { status: 200, description: "The submission.", schema: submissionView, carriesSecret: true, ...REVALIDATED },
	errors: ["NOT_FOUND"],
	examples: {
		params: { id: ID.submission },
		query: { fields: "status,evaluated,scores" },
		responses: {
			scored: { summary: "Judged", value: exampleSubmission },
			running: {
				summary: "Being judged",
				value: { ...exampleNewSubmission, artifact: exampleArtifact, ...scoreFields.example, ...submissionFields.example },
			},
			registered: { summary: "Waiting for its artifact", value: { ...exampleUploadedSubmission, resume: exampleResume } },
			stored: {
				summary: "Waiting to be completed",
				value: { ...exampleUploadedSubmission, artifact: exampleArtifact, next_step: exampleCompleteStep },
			},
			failed: {
				summary: "Rejected before judging",
				value: { ...exampleUploadedSubmission, status: "failed", error_message: "The zip has no SUBMISSION.md at its root." },
			},
		},
	},

	handle: async (ctx, { params }) => viewShown(ctx, await readVisible(ctx, params.id)),
});
