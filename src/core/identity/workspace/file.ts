import * as z from "zod";
import { quoteTag } from "../../../domain/entity-tags.ts";
import { AT } from "../../../domain/example-story.ts";
import { Reply } from "../../../http/endpoint.ts";
import { count, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { FileStored, WorkspaceFile } from "../../../ports/workspace.ts";
import { ENTRY_ETAG, PATH_RULE, pathSchema, ruled } from "./fields.ts";
import { CONTENT_TYPE_SCHEMA, findFilePathFault, isContentType, RESERVED_FILE_PATHS } from "./rules.ts";

export const filePath = ruled(findFilePathFault, {
	...pathSchema,
	not: { enum: RESERVED_FILE_PATHS },
	description: `The file's path. ${PATH_RULE}`,
});

export const contentType = z
	.string()
	.refine(isContentType, "must be a media type such as text/plain; charset=utf-8")
	.meta(CONTENT_TYPE_SCHEMA);
export const DEFAULT_CONTENT_TYPE = "application/octet-stream";

export const workspaceFile = z
	.object({
		path: z.string().describe("The file's path."),
		size_bytes: count.describe("Size of the file in bytes."),
		content_type: z.string().describe("The media type that the file is served with."),
		created_at: timestamp.describe("When the file was created."),
		updated_at: timestamp.describe("When the file was last replaced."),
	})
	.meta({ id: "WorkspaceFile", description: "A file's entry, without its bytes." });

export const exampleFile = {
	path: "models/banks.onnx",
	size_bytes: 3_480_112,
	content_type: "application/octet-stream",
	created_at: AT.stored,
	updated_at: AT.stored,
};

export function viewFile(file: WorkspaceFile) {
	return {
		path: file.path,
		size_bytes: file.sizeBytes,
		content_type: file.contentType,
		created_at: toIso(file.createdAt),
		updated_at: toIso(file.updatedAt),
	};
}

/** Returns the ETag of a file's version. Each version has its own blob, so the blob's name identifies the version. */
export function tagOf({ blobKey }: WorkspaceFile): string {
	return blobKey.slice(blobKey.lastIndexOf("/") + 1);
}

export const fileStored = {
	status: 201,
	description: "The new file.",
	schema: workspaceFile,
	headers: ENTRY_ETAG,
	others: [{ status: 200, description: "The file, which replaced an earlier file." }],
} as const;

export function respondWithFile({ file, isNew }: FileStored) {
	return new Reply(viewFile(file), { ETag: quoteTag(tagOf(file)) }, isNew ? 201 : 200);
}
