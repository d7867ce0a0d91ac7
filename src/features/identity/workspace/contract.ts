import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { base64Text, count, headerText, timestamp, uuid } from "../../../http/fields.ts";
import {
	anyJson,
	contentType,
	deletion,
	ENTRY_BODY_LIMIT_BYTES,
	entityTags,
	entryFacts,
	entryKey,
	entryView,
	FILE_BODY_LIMIT_BYTES,
	filePath,
	fileView,
	finalizeMethod,
	finalizeUrl,
	listOf,
	listQuery,
	writeConditions,
} from "./schemas.ts";

const shared = { tags: ["Workspace"], auth: "key", rate: "general" } as const;

const ETAG = { ETag: "Names this version. Send it back in If-Match or If-None-Match." } as const;

export const getEntry = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/workspace/kv/{key}",
	greedyParam: "key",
	operationId: "getWorkspaceEntry",
	summary: "Read a value",
	description: "The entry under a key of your own workspace. With If-None-Match, an unchanged entry is 304 without a body.",
	params: z.object({ key: entryKey }),
	headers: z.object({ "if-none-match": entityTags("Returns 304 if the entry's ETag is one of these.") }),
	response: {
		status: 200,
		description: "The entry.",
		schema: entryView,
		headers: ETAG,
		others: [{ status: 304, description: "The entry is the one that you have." }],
	},
	errors: ["NOT_FOUND"],
});

export const putEntry = contractOf({
	...shared,
	method: "put",
	path: "/api/v1/workspace/kv/{key}",
	greedyParam: "key",
	operationId: "putWorkspaceEntry",
	summary: "Store a value",
	description:
		"Creates or replaces the entry under a key. A value may be any JSON of up to 1 MB; all values together have 10 MB, and there may be 10,000 keys. Use If-Match with the ETag that you read, or If-None-Match: *, so as not to overwrite what another process wrote.",
	params: z.object({ key: entryKey }),
	headers: writeConditions,
	body: { schema: z.object({ value: anyJson }), required: true, maxBytes: ENTRY_BODY_LIMIT_BYTES },
	response: { status: 200, description: "The entry as it is stored now.", schema: entryView, headers: ETAG },
	errors: ["PRECONDITION_FAILED", "FILE_QUOTA_EXCEEDED", "BYTE_QUOTA_EXCEEDED"],
});

export const deleteEntry = contractOf({
	...shared,
	method: "delete",
	path: "/api/v1/workspace/kv/{key}",
	greedyParam: "key",
	operationId: "deleteWorkspaceEntry",
	summary: "Delete a value",
	description: "Deleting something that does not exist succeeds too, unless you send If-Match.",
	params: z.object({ key: entryKey }),
	headers: writeConditions,
	response: { status: 200, description: "Whether there was such an entry.", schema: deletion },
	errors: ["PRECONDITION_FAILED"],
});

export const listEntries = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/workspace/kv",
	operationId: "listWorkspaceEntries",
	summary: "List keys",
	description: "Keys in alphabetical order (by code), without their values. Keys that come and go between two pages move no others.",
	query: listQuery,
	response: {
		status: 200,
		description: "A page of keys.",
		schema: listOf(entryFacts, "Entries in the order of their keys, without their values.").meta({
			id: "WorkspaceEntryList",
			description: "A page of entries, without their values.",
		}),
	},
	errors: [],
});

export const getEntryQuota = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/workspace/quota",
	operationId: "getWorkspaceQuota",
	summary: "Read how much room is left for values",
	description: "Keys and bytes of values, used and allowed. A value counts with the bytes of its JSON.",
	response: {
		status: 200,
		description: "The key-value quota.",
		schema: z
			.object({
				keys_used: count.describe("Keys that are stored."),
				keys_limit: count.describe("Keys that can be stored."),
				bytes_used: count.describe("Bytes of all stored values."),
				bytes_limit: count.describe("Bytes that all values together can have."),
			})
			.meta({ id: "WorkspaceQuota", description: "How much room there is for values." }),
	},
	errors: [],
});

export const getFileQuota = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/workspace/files/quota",
	operationId: "getWorkspaceFileQuota",
	summary: "Read how much room is left for files",
	description: "Files and bytes, used and allowed. The bytes of an upload count as soon as they have arrived, until its URL expires.",
	response: {
		status: 200,
		description: "The file quota.",
		schema: z
			.object({
				files_used: count.describe("Files that are stored."),
				files_limit: count.describe("Files that can be stored."),
				bytes_used: count.describe("Bytes of all stored files, and of uploads that are not finalized yet."),
				bytes_limit: count.describe("Bytes that all files together can have."),
				per_file_byte_limit: count.describe("Bytes that one file can have."),
			})
			.meta({ id: "WorkspaceFileQuota", description: "How much room there is for files." }),
	},
	errors: [],
});

const fileStored = {
	status: 201,
	description: "The file, which is new.",
	schema: fileView,
	headers: ETAG,
	others: [{ status: 200, description: "The file, which has replaced an earlier one." }],
} as const;

export const storeFile = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/workspace/files",
	operationId: "storeWorkspaceFile",
	summary: "Store a file of up to 4 MB",
	description:
		"Send JSON with the content in base64, or the bytes themselves with the path in X-Workspace-Path. A larger file needs an upload URL. Readers see the old file or the new one, never a mix.",
	headers: z.object({
		"x-workspace-path": filePath.optional().describe("The file's path. Required if the body is the file's bytes."),
		"x-workspace-content-type": contentType
			.optional()
			.describe("The media type to serve the file with, if the body is the file's bytes. Default: the request's Content-Type."),
	}),
	body: {
		schema: z.object({
			path: filePath.describe("Where to store the file."),
			content_base64: base64Text(FILE_BODY_LIMIT_BYTES).describe("The bytes of the file in base64. At most 4 MB of bytes."),
			content_type: contentType.optional().describe("The media type to serve the file with. Default: `application/octet-stream`."),
		}),
		required: true,
		maxBytes: FILE_BODY_LIMIT_BYTES,
	},
	rawBody: { contentTypes: ["application/octet-stream"], description: "JSON, or the bytes themselves." },
	response: fileStored,
	errors: ["FILE_QUOTA_EXCEEDED", "BYTE_QUOTA_EXCEEDED"],
});

export const createUploadUrl = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/workspace/files/upload-url",
	operationId: "createWorkspaceUploadUrl",
	summary: "Get a URL to upload a file of up to 25 MB",
	description:
		"PUT the bytes to upload_url without an Authorization header within two hours, then finalize it. An upload that is not finalized by then is deleted.",
	body: {
		schema: z.object({
			path: filePath.describe("Where to store the file."),
			expected_size_bytes: z.number().int().min(0).optional().describe("The size that you expect, in bytes. Only the real size counts."),
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
				upload_method: z.literal("PUT").describe("The method for `upload_url`."),
				path: z.string().describe("The path that the file will have."),
				storage_ref: z.uuid().describe("Identifies this upload. Send it to finalize if several uploads are open for one path."),
				expires_at: timestamp.describe("When `upload_url` stops working."),
				finalize_url: finalizeUrl,
				finalize_method: finalizeMethod,
			})
			.meta({ id: "WorkspaceUpload", description: "Where to send the bytes of a file." }),
		carriesSecret: true,
	},
	errors: ["FILE_QUOTA_EXCEEDED"],
});

export const putUpload = contractOf({
	tags: ["Workspace"],
	auth: "signed",
	rate: "none",
	method: "put",
	path: "/api/v1/workspace/uploads/{agentId}/{uploadId}",
	operationId: "putWorkspaceUpload",
	summary: "Upload the bytes of a file",
	description:
		"The URL is an upload_url, whose signature replaces a key. Until the file is finalized you can send the bytes again; the last ones count.",
	params: z.object({ agentId: uuid, uploadId: uuid }),
	rawBody: { contentTypes: ["application/octet-stream"], description: "The bytes. Their Content-Type does not matter." },
	response: {
		status: 200,
		description: "The bytes are stored. Finalize them next.",
		schema: z
			.object({
				size_bytes: count.describe("Bytes that were received."),
				finalize_url: finalizeUrl,
				finalize_method: finalizeMethod,
			})
			.meta({ id: "WorkspaceUploadReceipt", description: "What the platform received." }),
	},
	errors: ["FILE_TOO_LARGE", "BYTE_QUOTA_EXCEEDED", "ALREADY_UPLOADED", "BAD_REQUEST", "RATE_LIMITED"],
});

export const finalizeUpload = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/workspace/files/finalize",
	operationId: "finalizeWorkspaceUpload",
	summary: "Turn an upload into a file",
	description:
		"Checks the size and the quota of what was uploaded and makes it the content of its path. On a refusal the uploaded bytes are discarded.",
	body: {
		schema: z.object({
			path: filePath.describe("The path that the upload URL was created for."),
			storage_ref: uuid.optional().describe("The upload to use. Default: the one for this path that received its bytes last."),
			content_type: contentType.optional().describe("The media type to serve the file with. Default: the type given with the upload URL."),
		}),
		required: true,
	},
	response: fileStored,
	errors: ["NOT_FOUND", "FILE_TOO_LARGE", "FILE_QUOTA_EXCEEDED", "BYTE_QUOTA_EXCEEDED"],
});

export const listFiles = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/workspace/files",
	operationId: "listWorkspaceFiles",
	summary: "List files",
	description: "Paths in alphabetical order (by code), without the files' bytes.",
	query: listQuery,
	response: {
		status: 200,
		description: "A page of files.",
		schema: listOf(fileView, "Files in the order of their paths, without their bytes.").meta({
			id: "WorkspaceFileList",
			description: "A page of files, without their bytes.",
		}),
	},
	errors: [],
});

export const readFile = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/workspace/files/{path}",
	greedyParam: "path",
	operationId: "readWorkspaceFile",
	summary: "Read a file, or what is known of it",
	description:
		"The bytes with the Content-Type that they were stored with, whole or a range of them. With metadata=1 or the header X-Workspace-Metadata-Only, the file's entry as JSON.",
	params: z.object({ path: filePath }),
	query: z.object({
		metadata: z
			.enum(["0", "1", "false", "true"])
			.optional()
			.describe("`1` or `true` returns the file's entry as JSON instead of its bytes."),
	}),
	headers: z.object({
		"x-workspace-metadata-only": headerText.optional().describe("Any value except `0` and `false` does the same as `metadata=1`."),
		"if-none-match": entityTags("Returns 304 if the file's ETag is one of these."),
		range: headerText.optional().describe("One range of bytes, such as `bytes=0-1023`."),
		"if-range": headerText.optional().describe("Applies the range only if this is the file's current ETag."),
	}),
	response: {
		status: 200,
		description: "The file's entry, or its bytes.",
		schema: fileView,
		headers: { ...ETAG, "Accept-Ranges": "`bytes`." },
		others: [
			{ status: 200, description: "The file's entry, or its bytes.", contentType: "application/octet-stream" },
			{ status: 206, description: "The range of bytes.", contentType: "application/octet-stream" },
			{ status: 304, description: "The file is the one that you have." },
		],
	},
	errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
});

export const deleteFile = contractOf({
	...shared,
	method: "delete",
	path: "/api/v1/workspace/files/{path}",
	greedyParam: "path",
	operationId: "deleteWorkspaceFile",
	summary: "Delete a file",
	description: "Deleting what is not there succeeds too.",
	params: z.object({ path: filePath }),
	response: { status: 200, description: "Whether there was such a file.", schema: deletion },
	errors: [],
});
