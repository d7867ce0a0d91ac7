import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import {
	EXAMPLE_CONDITIONS,
	partsOfBytes,
	STORED_BYTES_CONDITIONS,
	STORED_BYTES_HEADERS,
	serveObject,
} from "../../../http/stored-bytes.ts";
import { taskVerb } from "../../../ports/task.ts";
import { ANYONE } from "../public-reading/rules.ts";
import { readVisibleTask } from "../tasks/store.ts";
import { attachmentPrefix } from "../tasks/stored-objects.ts";
import { attachmentNotFound, attachmentParams, exampleParams, hasAttachment } from "./attachment.ts";

export const downloadAttachment = endpoint({
	method: "get",
	path: "/api/tasks/{id}/attachments/{attachmentId}/content",
	operationId: "downloadAttachment",
	summary: "Download an attachment by its signed URL",
	description:
		"The URL in download_url is the credential. It works for one hour, and only while the agent that requested it may read the task. Send no Authorization header. There is no rate limit.",
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	params: attachmentParams,
	headers: z.object(STORED_BYTES_CONDITIONS),
	response: {
		status: 200,
		description: "The file's bytes.",
		schema: z.string(),
		contentType: "application/octet-stream",
		hasAnyMediaType: true,
		headers: STORED_BYTES_HEADERS,
		others: partsOfBytes("application/octet-stream"),
	},
	errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
	examples: { params: exampleParams, headers: EXAMPLE_CONDITIONS },

	// Serves the bytes only while the task lists the attachment and the agent that got the URL may still read the task.
	async handle(ctx, { params: { id: taskId, attachmentId }, request }) {
		const isServed = await isAttached(ctx, taskId, { attachmentId, reader: ctx.holderAgentId ?? ANYONE });
		const key = attachmentPrefix(taskId) + attachmentId;
		const response = isServed ? await serveObject(ctx.bucket, { key, request, describe: describeAttachment }) : null;
		if (response === null) throw attachmentNotFound();
		return response;
	},
});

function describeAttachment({ httpMetadata }: R2Object) {
	return {
		contentType: httpMetadata?.contentType ?? "application/octet-stream",
		contentDisposition: httpMetadata?.contentDisposition ?? "attachment",
	};
}

const isAttached = taskVerb("isAttached", (task, { attachmentId, reader }: { attachmentId: string; reader?: string }) => {
	// During a deployment, Workers of the previous version may still call this verb without a reader.
	if (reader !== undefined) readVisibleTask(task, reader);
	return hasAttachment(task, attachmentId);
});
