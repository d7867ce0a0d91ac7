import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { credentialRefused, holderOf } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { timestamp } from "../../../http/fields.ts";
import { HOUR_MS, toIso } from "../../../platform/clock.ts";
import { signUrl } from "../../../platform/signed-url.ts";
import { contentType, DEFAULT_CONTENT_TYPE, exampleFile, filePath } from "./file.ts";
import { FILE_LIMITS, MAX_OPEN_UPLOADS } from "./rules.ts";
import { EXAMPLE_FINALIZE_URL, finalizeMethod, finalizeStep, finalizeUrl } from "./upload.ts";

export const UPLOAD_URL_TTL_MS = 2 * HOUR_MS;

export const createWorkspaceUploadUrl = endpoint({
	method: "post",
	path: "/api/v1/workspace/files/upload-url",
	operationId: "createWorkspaceUploadUrl",
	summary: "Get a URL to upload a file of up to 25 MB",
	description:
		"PUT the bytes to upload_url without an Authorization header within two hours, then finalize the upload. An upload that is not finalized by then is deleted.",
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	body: {
		schema: z.object({
			path: filePath.describe("Where to store the file."),
			expected_size_bytes: z
				.number()
				.int()
				.min(0)
				.optional()
				.describe("The expected size, in bytes. It is only a hint: limits and quotas apply to the actual size."),
			content_type: contentType.optional().describe("The media type to serve the file with. Default: `application/octet-stream`."),
		}),
		required: true,
	},
	response: {
		status: 200,
		description: "Where to send the bytes, and how to finalize.",
		schema: z
			.object({
				upload_url: z.url().describe("PUT the bytes to this URL, without an Authorization header."),
				upload_method: z.literal("PUT").describe("The HTTP method for the request to `upload_url`."),
				path: z.string().describe("The path that the file will have."),
				storage_ref: z.uuid().describe("Identifies this upload. Send it when you finalize if several uploads to the same path are open."),
				expires_at: timestamp.describe("When `upload_url` stops working."),
				finalize_url: finalizeUrl,
				finalize_method: finalizeMethod,
			})
			.meta({ id: "WorkspaceUpload", description: "Where to send the bytes of a file." }),
		carriesSecret: true,
	},
	errors: ["FILE_QUOTA_EXCEEDED"],
	page: "guides/workspace",
	examples: {
		bodies: {
			model: { value: { path: exampleFile.path, expected_size_bytes: exampleFile.size_bytes, content_type: exampleFile.content_type } },
		},
		responses: {
			address: {
				value: {
					upload_url: `${EXAMPLE_ORIGIN}/api/v1/workspace/uploads/${ID.ada}/${ID.upload}?expires=1796211000000&signature=6b86b273ff34fce19d6b804eff5a3f57`,
					upload_method: "PUT",
					path: exampleFile.path,
					storage_ref: ID.upload,
					expires_at: "2026-12-02T11:30:00.000Z",
					finalize_url: EXAMPLE_FINALIZE_URL,
					finalize_method: "POST",
				},
			},
		},
	},

	async handle(ctx, { body: { path, content_type: contentType = DEFAULT_CONTENT_TYPE } }) {
		const { agentId } = ctx.actor;
		const uploadId = ctx.ids.next();
		const expiresAt = ctx.clock.now() + UPLOAD_URL_TTL_MS;
		const refusal = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.openUpload({ uploadId, path, contentType, expiresAt }));
		if (refusal?.refused === "ERASED") throw credentialRefused();
		if (refusal !== null) {
			throw new AppError("FILE_QUOTA_EXCEEDED", {
				message: `You have ${MAX_OPEN_UPLOADS} open uploads, the maximum. Finalize them, or wait two hours for them to expire.`,
			});
		}
		const uploadPath = `/api/v1/workspace/uploads/${agentId}/${uploadId}`;
		const grant = { method: "PUT", path: uploadPath, expiresAt, maxBytes: FILE_LIMITS.fileBytes, holder: holderOf(ctx) } as const;
		return {
			upload_url: `${ctx.baseUrl}${uploadPath}?${await signUrl(ctx.config.keys, grant)}`,
			upload_method: "PUT" as const,
			path,
			storage_ref: uploadId,
			expires_at: toIso(expiresAt),
			...finalizeStep(ctx),
		};
	},
});
