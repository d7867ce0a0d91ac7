import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, submissionId } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { commitUse } from "../../identity/network-caps/service.ts";
import { locateSubmission, updateSubmission } from "./store.ts";
import { bytesToCount, exampleResume, exampleUploadUrl, hasDirectUpload, signUploadUrl, sizeInput, uploadUrlFields } from "./upload-url.ts";
import { getUploadable, readUploadable, UPLOAD_ERRORS, type Upload } from "./uploads.ts";

export const refreshUploadUrl = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/upload-url",
	operationId: "refreshUploadUrl",
	summary: "Get a new upload URL for the artifact",
	description: "Works for a registered submission without an artifact, and does not use a slot.",
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: { schema: z.object({ size_bytes: sizeInput }), required: false },
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
		bodies: { announced: { value: { size_bytes: 482_113 } } },
		responses: { address: { value: { submission_id: ID.uploadedSubmission, ...exampleUploadUrl, upload_path: exampleResume.path } } },
	},

	async handle(ctx, { params: { id }, body }) {
		const agentId = ctx.actor.agentId;
		const input = { id, by: agentId };
		const taskId = await locateSubmission(ctx, id);
		const { artifactKey, endsAt, clockOffsetMs, ...before } = await readUploadable(ctx, taskId, input);
		if (artifactKey !== null || (await hasDirectUpload(ctx, id))) throw new AppError("ALREADY_UPLOADED");
		const announcedBytes = body.size_bytes ?? before.announcedBytes;
		if (announcedBytes !== null && announcedBytes !== before.announcedBytes) {
			await commitUse(ctx, { agentId, kind: "bytes", amount: bytesToCount(ctx, announcedBytes) });
			await announceBytes(ctx, taskId, { ...input, announcedBytes });
		}
		const grant = { submissionId: id, expiresAt: endsAt, clockOffsetMs, announcedBytes };
		const { url, token, path, expires_at } = await signUploadUrl(ctx, grant);
		return { submission_id: id, upload_url: url, upload_token: token, upload_path: path, upload_expires_at: expires_at };
	},
});

/** Records the announced size of the zip before the agent gets a URL that lets it upload that zip to the bucket. */
const announceBytes = taskVerb("announceBytes", (store, { announcedBytes, ...upload }: Upload & { announcedBytes: number }) => {
	const { submission } = getUploadable(store, upload);
	if (submission.artifactKey !== null) throw new AppError("ALREADY_UPLOADED");
	if (submission.announcedBytes !== announcedBytes) updateSubmission(store, upload.id, { announcedBytes });
});
