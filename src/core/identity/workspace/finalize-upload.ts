import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { quotaExceeded, tooLarge } from "./fields.ts";
import { contentType, exampleFile, filePath, fileStored, respondWithFile } from "./file.ts";
import { FILE_LIMITS } from "./rules.ts";

export const finalizeWorkspaceUpload = endpoint({
	method: "post",
	path: "/api/v1/workspace/files/finalize",
	operationId: "finalizeWorkspaceUpload",
	summary: "Turn an upload into a file",
	description:
		"Checks the upload against the size limit and the quota, then stores it as the file at its path. If the check fails, the uploaded bytes are discarded.",
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	body: {
		schema: z.object({
			path: filePath.describe("The path that the upload URL was created for."),
			storage_ref: uuid.optional().describe("The upload to use. Default: the upload to this path that finished last."),
			content_type: contentType.optional().describe("The media type to serve the file with. Default: the type given with the upload URL."),
		}),
		required: true,
	},
	response: fileStored,
	errors: ["NOT_FOUND", "FILE_TOO_LARGE", "FILE_QUOTA_EXCEEDED", "BYTE_QUOTA_EXCEEDED"],
	page: "guides/workspace",
	examples: {
		bodies: { upload: { value: { path: exampleFile.path, storage_ref: ID.upload } } },
		responses: {
			created: { summary: "A new file", value: exampleFile },
			replaced: { summary: "A file that replaced an earlier one", status: 200, value: exampleFile },
		},
	},

	async handle(ctx, { body: { path, storage_ref: uploadId = null, content_type: contentType = null } }) {
		const outcome = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) =>
			workspace.finalizeUpload({ path, uploadId, contentType }),
		);
		if (!("refused" in outcome)) return respondWithFile(outcome);
		if (outcome.refused === "NOT_FOUND") {
			throw new AppError("NOT_FOUND", {
				message: `No upload to ${path} has arrived. POST /api/v1/workspace/files/upload-url, PUT the bytes to its upload_url, then finalize within two hours.`,
			});
		}
		throw outcome.refused === "FILE_TOO_LARGE" ? tooLarge("A file", FILE_LIMITS.fileBytes) : quotaExceeded(outcome.refused, "files");
	},
});
