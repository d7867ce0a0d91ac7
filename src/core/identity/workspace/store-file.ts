import * as z from "zod";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { base64Text } from "../../../http/fields.ts";
import { readBytes } from "../../../http/raw-body.ts";
import { fromBase64 } from "../../../platform/crypto.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { commitUse } from "../network-caps/service.ts";
import { quotaExceeded, tooLarge } from "./fields.ts";
import { contentType, DEFAULT_CONTENT_TYPE, exampleFile, filePath, fileStored, respondWithFile } from "./file.ts";
import { FILE_LIMITS } from "./rules.ts";
import { blobLost, newBlobKey, orAbandon } from "./upload.ts";

/** The limit for the body: enough for a file of 4 MB in base64 with line breaks. */
const FILE_BODY_LIMIT_BYTES = 1.5 * FILE_LIMITS.directBytes + 65_536;

export const storeWorkspaceFile = endpoint({
	method: "post",
	path: "/api/v1/workspace/files",
	operationId: "storeWorkspaceFile",
	summary: "Store a file of up to 4 MB",
	description:
		"Send JSON with the content in base64, or the bytes themselves with the path in X-Workspace-Path. A larger file needs an upload URL. Readers see either the old file or the new file, never a mix.",
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	headers: z.object({
		"x-workspace-path": filePath.optional().describe("The file's path. Required if the body is the file's bytes."),
		"x-workspace-content-type": contentType
			.optional()
			.describe("The media type to serve the file with, if the body is the file's bytes. Default: the request's Content-Type."),
	}),
	body: {
		schema: z.object({
			path: filePath.describe("Where to store the file."),
			content_base64: base64Text(FILE_BODY_LIMIT_BYTES).describe("The bytes of the file in base64. At most 4 MB before encoding."),
			content_type: contentType.optional().describe("The media type to serve the file with. Default: `application/octet-stream`."),
		}),
		required: true,
		maxBytes: FILE_BODY_LIMIT_BYTES,
	},
	rawBody: { contentTypes: ["application/octet-stream"], description: "JSON, or the bytes themselves." },
	response: fileStored,
	errors: ["FILE_QUOTA_EXCEEDED", "BYTE_QUOTA_EXCEEDED"],
	page: "guides/workspace",
	examples: {
		headers: { "x-workspace-path": "notes/today.txt", "x-workspace-content-type": "text/plain" },
		bodies: {
			text: { value: { path: "notes/today.txt", content_base64: "VHJ5IHRoZSBzb3V0aCBmb3JtYXQgbmV4dC4=", content_type: "text/plain" } },
		},
		responses: {
			created: { summary: "A new file", value: { ...exampleFile, path: "notes/today.txt", size_bytes: 26, content_type: "text/plain" } },
			replaced: {
				summary: "A file that replaced an earlier one",
				status: 200,
				value: { ...exampleFile, path: "notes/today.txt", size_bytes: 26, content_type: "text/plain" },
			},
		},
	},

	handle: (ctx, { headers, body, request }) =>
		body === undefined
			? storeRawFile(ctx, { path: headers["x-workspace-path"], contentType: headers["x-workspace-content-type"] }, request)
			: storeBytes(ctx, {
					path: body.path,
					bytes: decodeContent(body.content_base64),
					contentType: body.content_type ?? DEFAULT_CONTENT_TYPE,
				}),
});

function decodeContent(base64: string): Uint8Array {
	try {
		return fromBase64(base64);
	} catch {
		throw invalidInput("INVALID_BODY", [{ path: "content_base64", message: "must be standard base64" }]);
	}
}

/**
 * Stores a file whose bytes are the request's body.
 *
 * @throws AppError If the path is missing: `VALIDATION_ERROR` if the Content-Type is `application/octet-stream`, otherwise `INVALID_BODY`,
 * because the caller probably meant to send JSON.
 */
async function storeRawFile(
	ctx: Ctx,
	{ path, contentType }: { readonly path: string | undefined; readonly contentType: string | undefined },
	request: Request,
) {
	const sentType = request.headers.get("Content-Type");
	if (path === undefined) throw refuseUnnamed(sentType);
	const rules = { faultCode: "INVALID_BODY", clock: ctx.clock } as const;
	const bytes = await readBytes(request, FILE_LIMITS.directBytes, rules).catch((error: unknown) => {
		throw error instanceof AppError && error.code === "FILE_TOO_LARGE" ? directTooLarge() : error;
	});
	return storeBytes(ctx, { path, bytes, contentType: contentType ?? sentType ?? DEFAULT_CONTENT_TYPE });
}

function directTooLarge(): AppError {
	return tooLarge("A direct upload", FILE_LIMITS.directBytes, " For larger files use POST /api/v1/workspace/files/upload-url.");
}

function refuseUnnamed(contentType: string | null): AppError {
	const fault = {
		path: "x-workspace-path",
		message: "is required if the body is the file's bytes; or send JSON with the header Content-Type: application/json",
	};
	return invalidInput(contentType?.startsWith(DEFAULT_CONTENT_TYPE) ? "VALIDATION_ERROR" : "INVALID_BODY", [fault]);
}

async function storeBytes(
	ctx: Ctx,
	{ path, bytes, contentType }: { readonly path: string; readonly bytes: Uint8Array; readonly contentType: string },
) {
	const sizeBytes = bytes.byteLength;
	if (sizeBytes > FILE_LIMITS.directBytes) throw directTooLarge();
	const { agentId } = ctx.actor;
	const blobKey = newBlobKey(ctx, agentId);
	const refusal = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.reserveBlob({ path, sizeBytes, blobKey }));
	if (refusal?.refused === "ERASED") throw credentialRefused();
	if (refusal !== null) throw quotaExceeded(refusal.refused, "files");
	await orAbandon(ctx, { agentId, blobKey }, async () => {
		await commitUse(ctx, { agentId, kind: "bytes", amount: sizeBytes });
		await ctx.bucket.put(blobKey, bytes);
	});
	const outcome = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.commitFile({ path, sizeBytes, blobKey, contentType }));
	if (!("refused" in outcome)) return respondWithFile(outcome);
	throw outcome.refused === "BLOB_LOST" ? blobLost(blobKey) : quotaExceeded(outcome.refused, "files");
}
