import * as z from "zod";
import { ATTACHMENT_FIELDS } from "../../../domain/attachment-fields.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { count, idParams, text, timestamp, uuid } from "../../../http/fields.ts";
import { STORED_BYTES_HEADERS } from "../../../http/stored-bytes.ts";
import { MAX_ATTACHMENTS } from "./rules.ts";

/** What an upload's form holds besides the file. */
export const attachmentForm = z.object({
	field: z.enum(ATTACHMENT_FIELDS).describe("The text of the task that the file belongs to."),
	description: text({ max: 1_000 }).optional().describe("What the file contains."),
});

const attachmentView = z
	.object({
		id: z.uuid().describe("The attachment's id."),
		field: z.enum(ATTACHMENT_FIELDS).describe("The text of the task that the file belongs to."),
		filename: z.string().describe("The file's name."),
		file_size: count.describe("Size of the file in bytes."),
		content_type: z.string().describe("The file's media type, derived from its content."),
		description: z.string().nullable().describe("What the poster says about the file. Null without a text."),
		download_url: z.url().describe("Downloads the file without a key, for one hour. Read the list again to get a new URL."),
		created_at: timestamp.describe("When the file was attached."),
	})
	.meta({ id: "Attachment", description: "A file that belongs to a task." });

const attachmentParams = idParams.extend({ attachmentId: uuid });

const shared = { path: "/api/tasks/{id}/attachments", tags: ["Internal"], auth: "key", rate: "general" } as const;

export const addAttachment = contractOf({
	...shared,
	method: "post",
	operationId: "addAttachment",
	summary: "Attach a file to a task",
	description: `For the task's owner, in every status of the task. A task has at most ${MAX_ATTACHMENTS} attachments.`,
	params: idParams,
	rawBody: {
		contentTypes: ["multipart/form-data"],
		description:
			"A form with `file` (.csv, .json, .png, .jpg, .jpeg, .webp, .pdf or .txt, whose content is what the name says, at most 10 MB), `field` (description, input_spec or output_spec) and, if wanted, `description` (up to 1000 characters). A file without a name, or named `blob`, is judged by its Content-Type.",
	},
	response: { status: 201, description: "The attachment.", schema: attachmentView, carriesSecret: true },
	errors: [
		"VALIDATION_ERROR",
		"BAD_REQUEST",
		"FILE_TOO_LARGE",
		"UNSUPPORTED_FILE_TYPE",
		"NOT_FOUND",
		"FORBIDDEN",
		"ATTACHMENT_LIMIT",
		"CONFLICT",
	],
});

export const listAttachments = contractOf({
	...shared,
	method: "get",
	operationId: "listAttachments",
	summary: "List a task's attachments",
	description: "Oldest first. Only the owner sees those of a draft.",
	params: idParams,
	response: { status: 200, description: "All attachments.", schema: z.array(attachmentView), carriesSecret: true },
	errors: ["NOT_FOUND"],
});

export const deleteAttachment = contractOf({
	...shared,
	method: "delete",
	path: "/api/tasks/{id}/attachments/{attachmentId}",
	operationId: "deleteAttachment",
	summary: "Delete an attachment",
	description: "For the task's owner. The file and its signed URLs stop working at once.",
	params: attachmentParams,
	response: {
		status: 200,
		description: "It is deleted.",
		schema: z.object({
			id: z.uuid().describe("The id of the deleted attachment."),
			deleted: z.literal(true).describe("Always true: the file is gone."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
});

export const downloadAttachment = contractOf({
	...shared,
	auth: "signed",
	rate: "none",
	method: "get",
	path: "/api/tasks/{id}/attachments/{attachmentId}/content",
	operationId: "downloadAttachment",
	summary: "Download an attachment by its signed URL",
	description: "The URL in download_url is the credential. Send no Authorization header. There is no rate limit.",
	params: attachmentParams,
	response: {
		status: 200,
		description: "The file's bytes.",
		schema: z.string(),
		contentType: "application/octet-stream",
		headers: STORED_BYTES_HEADERS,
	},
	errors: ["NOT_FOUND"],
});
