import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { STORED_BYTES_HEADERS, serveStoredBytes } from "../../../http/stored-bytes.ts";
import { taskVerb } from "../../../ports/task.ts";
import { attachmentPrefix } from "../tasks/stored-objects.ts";
import { attachmentNotFound, attachmentParams, exampleParams, hasAttachment } from "./attachment.ts";

export const downloadAttachment = endpoint({
	method: "get",
	path: "/api/tasks/{id}/attachments/{attachmentId}/content",
	operationId: "downloadAttachment",
	summary: "Download an attachment by its signed URL",
	description: "The URL in download_url is the credential. Send no Authorization header. There is no rate limit.",
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	params: attachmentParams,
	response: {
		status: 200,
		description: "The file's bytes.",
		schema: z.string(),
		contentType: "application/octet-stream",
		hasAnyMediaType: true,
		headers: STORED_BYTES_HEADERS,
	},
	errors: ["NOT_FOUND"],
	examples: { params: exampleParams },

	// The bytes are stored with their name and type. They are served only while the task lists the attachment.
	async handle(ctx, { params: { id: taskId, attachmentId } }) {
		const isServed = await isAttached(ctx, taskId, { attachmentId });
		const object = isServed ? await ctx.bucket.get(attachmentPrefix(taskId) + attachmentId) : null;
		if (object === null) throw attachmentNotFound();
		return serveStoredBytes({
			body: object.body,
			sizeBytes: object.size,
			etag: object.httpEtag,
			contentType: object.httpMetadata?.contentType ?? "application/octet-stream",
			contentDisposition: object.httpMetadata?.contentDisposition ?? "attachment",
		});
	},
});

const isAttached = taskVerb("isAttached", (task, { attachmentId }: { attachmentId: string }) => hasAttachment(task, attachmentId));
