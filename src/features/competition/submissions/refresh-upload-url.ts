import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, submissionId } from "../../../http/fields.ts";
import { locateSubmission } from "./store.ts";
import { exampleResume, exampleUploadUrl, hasDirectUpload, signUploadUrl, uploadUrlFields } from "./upload-url.ts";
import { readUploadable, UPLOAD_ERRORS } from "./uploads.ts";

export const refreshUploadUrl = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/upload-url",
	operationId: "refreshUploadUrl",
	summary: "Get a new upload URL for the artifact",
	description: "For a registered submission without an artifact. Uses no slot.",
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The new upload URL.",
		schema: z.object({
			submission_id: submissionId,
			upload_url: uploadUrlFields.upload_url,
			upload_token: uploadUrlFields.upload_token,
			upload_path: z.string().describe("The path of `upload_url`."),
			upload_expires_at: uploadUrlFields.upload_expires_at,
		}),
		carriesSecret: true,
	},
	errors: [...UPLOAD_ERRORS, "ALREADY_UPLOADED", "FORBIDDEN"],
	examples: {
		params: { id: ID.uploadedSubmission },
		responses: { address: { value: { submission_id: ID.uploadedSubmission, ...exampleUploadUrl, upload_path: exampleResume.path } } },
	},

	async handle(ctx, { params: { id } }) {
		const input = { id, by: ctx.actor.agentId };
		const { artifactKey, endsAt } = await ctx.hubs.callTask(await locateSubmission(ctx, id), readUploadable, {
			input,
			now: ctx.clock.now(),
		});
		if (artifactKey !== null || (await hasDirectUpload(ctx, id))) throw new AppError("ALREADY_UPLOADED");
		const { url, token, path, expires_at } = await signUploadUrl(ctx, id, endsAt);
		return { submission_id: id, upload_url: url, upload_token: token, upload_path: path, upload_expires_at: expires_at };
	},
});
