import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { count, uuid } from "../../../http/fields.ts";
import { announcedLengthOf, readChunks } from "../../../http/raw-body.ts";
import { PART_BYTES, writeBlob } from "../../../platform/blob-writer.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { commitUse } from "../network-caps/service.ts";
import { quotaExceeded, tooLarge } from "./fields.ts";
import { exampleFile } from "./file.ts";
import { FILE_LIMITS, PUT_TIME_LIMIT_MS } from "./rules.ts";
import { blobLost, EXAMPLE_FINALIZE_URL, finalizeMethod, finalizeStep, finalizeUrl, newBlobKey, orAbandon } from "./upload.ts";

export const putWorkspaceUpload = endpoint({
	method: "put",
	path: "/api/v1/workspace/uploads/{agentId}/{uploadId}",
	operationId: "putWorkspaceUpload",
	summary: "Upload the bytes of a file",
	description:
		"You get this URL as `upload_url`. Its signature replaces a key. Until you finalize the file, you can send the bytes again; the last upload counts.",
	tags: ["Workspace"],
	auth: "signed",
	rate: "none",
	params: z.object({ agentId: uuid, uploadId: uuid }),
	rawBody: { contentTypes: ["application/octet-stream"], description: "The bytes. Their Content-Type does not matter." },
	response: {
		status: 200,
		description: "The bytes are stored. Finalize the upload next.",
		schema: z
			.object({
				size_bytes: count.describe("Number of bytes received."),
				finalize_url: finalizeUrl,
				finalize_method: finalizeMethod,
			})
			.meta({ id: "WorkspaceUploadReceipt", description: "The upload as the platform received it." }),
	},
	errors: ["FILE_TOO_LARGE", "BYTE_QUOTA_EXCEEDED", "ALREADY_UPLOADED", "BAD_REQUEST", "RATE_LIMITED"],
	page: "guides/workspace",
	examples: {
		params: { agentId: ID.ada, uploadId: ID.upload },
		responses: { arrived: { value: { size_bytes: exampleFile.size_bytes, finalize_url: EXAMPLE_FINALIZE_URL, finalize_method: "POST" } } },
	},

	async handle(ctx, { params: { agentId, uploadId }, request }) {
		const maxBytes = ctx.grant.maxBytes ?? FILE_LIMITS.fileBytes;
		const blobKey = newBlobKey(ctx, agentId);
		const announcedBytes = announcedLengthOf(request) ?? 0;
		if (announcedBytes > maxBytes) throw tooLarge("A file", maxBytes);
		const reservation = { uploadId, blobKey, sizeBytes: announcedBytes };
		const refusal = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.reserveUploadBlob(reservation));
		if (refusal !== null) throw refusal.refused === "UPLOAD_ENDED" ? uploadEnded() : quotaExceeded(refusal.refused, "files");
		const onMultipart = (multipartId: string) =>
			ctx.hubs.callWorkspace(agentId, (workspace) => workspace.noteMultipart(blobKey, multipartId));
		const sizeBytes = await orAbandon(ctx, { agentId, blobKey }, async () => {
			const storedBytes = await putStream(ctx, { key: blobKey, request, maxBytes, onMultipart });
			await commitUse(ctx, { agentId, kind: "bytes", amount: storedBytes });
			return storedBytes;
		});
		const lateRefusal = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.completeUpload({ uploadId, blobKey, sizeBytes }));
		if (lateRefusal?.refused === "BLOB_LOST") throw blobLost(blobKey);
		if (lateRefusal !== null) throw lateRefusal.refused === "UPLOAD_ENDED" ? uploadEnded() : quotaExceeded(lateRefusal.refused, "files");
		return { size_bytes: sizeBytes, ...finalizeStep(ctx) };
	},
});

function uploadEnded(): AppError {
	return new AppError("ALREADY_UPLOADED", {
		message: "This upload was finalized or rejected, or it has expired. POST /api/v1/workspace/files/upload-url for a new URL.",
	});
}

/**
 * Stores a request's body as a blob, completely or not at all, before the blob's reservation expires. If the body's length is unknown, part
 * of it is kept in memory, and it must arrive within a time limit.
 *
 * @returns The number of bytes stored.
 * @throws AppError `FILE_TOO_LARGE`, or `BAD_REQUEST` if the body is cut off or takes too long.
 */
async function putStream(
	{ bucket, clock }: PublicCtx,
	{
		key,
		request,
		maxBytes,
		onMultipart,
	}: {
		readonly key: string;
		readonly request: Request;
		readonly maxBytes: number;
		readonly onMultipart: (multipartId: string) => Promise<void>;
	},
): Promise<number> {
	const length = announcedLengthOf(request);
	const signal = AbortSignal.timeout(PUT_TIME_LIMIT_MS);
	const chunks = readChunks(request, maxBytes, { signal, clock: length === null ? clock : undefined, heldBytes: PART_BYTES });
	const { bytes } = await writeBlob(chunks, { bucket, key, contentType: "application/octet-stream", onMultipart, length });
	return bytes;
}
