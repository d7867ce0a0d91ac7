import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { endpoint, Reply } from "../../../http/endpoint.ts";
import { headerText } from "../../../http/fields.ts";
import { type ByteRange, contentDisposition, serveStoredBytes } from "../../../http/stored-bytes.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { WorkspaceFile } from "../../../ports/workspace.ts";
import { ENTRY_ETAG, entityTags, quoteTag, SLASHES } from "./fields.ts";
import { exampleFile, filePath, tagOf, viewFile, workspaceFile } from "./file.ts";
import { canShow, matchesTag, parseEntityTags, resolveRange } from "./rules.ts";

export const readWorkspaceFile = endpoint({
	method: "get",
	path: "/api/v1/workspace/files/{path}",
	greedyParam: "path",
	operationId: "readWorkspaceFile",
	summary: "Read a file, or what is known of it",
	description: [
		"The bytes with the Content-Type that they were stored with, whole or a range of them. With metadata=1 or the header X-Workspace-Metadata-Only, the file's entry as JSON.",
		SLASHES,
	].join("\n\n"),
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
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
		schema: workspaceFile,
		headers: {
			...ENTRY_ETAG,
			"Accept-Ranges": "`bytes`.",
			"Content-Range": "For a range: which bytes, and the file's size.",
			"Content-Disposition": "The file's name.",
		},
		others: [
			{ status: 200, description: "The file's entry, or its bytes.", contentType: "application/octet-stream" },
			{ status: 206, description: "The range of bytes.", contentType: "application/octet-stream" },
			{ status: 304, description: "The file is the one that you have." },
		],
		hasAnyMediaType: true,
	},
	errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
	page: "guides/workspace",
	examples: {
		params: { path: exampleFile.path },
		query: { metadata: "1" },
		headers: {
			"x-workspace-metadata-only": "1",
			"if-none-match": '"01a23616e5c071fe868e72581ec4421f"',
			range: "bytes=0-1023",
			"if-range": '"01a23616e5c071fe868e72581ec4421f"',
		},
		responses: { metadata: { summary: "With metadata=1", value: exampleFile } },
	},

	async handle(ctx, { params: { path }, query, headers, request }) {
		const ifNoneMatch = headers["if-none-match"];
		const isMetadataOnly = isYes(query.metadata) || isYes(headers["x-workspace-metadata-only"]);
		for (let read = 1; read <= MAX_READS; read += 1) {
			const file = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.findFile(path));
			if (file === null) {
				throw new AppError("NOT_FOUND", {
					message: `Your workspace has no file ${path}. GET /api/v1/workspace/files lists those it has.`,
				});
			}
			const etag = quoteTag(tagOf(file));
			if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tagOf(file))) {
				return new Response(null, { status: 304, headers: { ETag: etag } });
			}
			if (isMetadataOnly) return new Reply(viewFile(file), { ETag: etag });
			const range = chooseRange(file, headers.range, headers["if-range"]);
			const response = await respondWithBytes(ctx, file, { range, headersOnly: request.method === "HEAD" });
			if (response !== null) return response;
		}
		throw new Error(`The bytes of a workspace file are missing: ${path} of ${ctx.actor.agentId}`);
	},
});

/** The bytes of a version may be deleted a while after it was replaced. A reader that lost them finds the next version. */
const MAX_READS = 3;

function isYes(flag: string | undefined): boolean {
	return flag !== undefined && !["", "0", "false"].includes(flag.trim().toLowerCase());
}

/** Returns null when the blob is gone. A HEAD request gets the headers only. */
async function respondWithBytes(
	ctx: Ctx,
	file: WorkspaceFile,
	{ range, headersOnly }: { readonly range: ByteRange | "unsatisfiable" | null; readonly headersOnly: boolean },
): Promise<Response | null> {
	if (range === "unsatisfiable") {
		throw new AppError("RANGE_NOT_SATISFIABLE", { headers: { "Content-Range": `bytes */${file.sizeBytes}` } });
	}
	if (headersOnly) return serveFile(file, range, null);
	const object = await ctx.bucket.get(file.blobKey, range === null ? {} : { range });
	return object === null ? null : serveFile(file, range, object.body);
}

/** Chooses the whole file when `If-Range` has anything but the present tag. */
function chooseRange(file: WorkspaceFile, range: string | undefined, ifRange: string | undefined): ByteRange | "unsatisfiable" | null {
	if (range === undefined) return null;
	const tags = ifRange === undefined ? "*" : parseEntityTags(ifRange);
	return tags !== null && matchesTag(tags, tagOf(file)) ? resolveRange(range, file.sizeBytes) : null;
}

function serveFile(file: WorkspaceFile, range: ByteRange | null, body: ReadableStream | null): Response {
	const filename = file.path.slice(file.path.lastIndexOf("/") + 1);
	return serveStoredBytes({
		body,
		sizeBytes: file.sizeBytes,
		etag: quoteTag(tagOf(file)),
		contentType: file.contentType,
		contentDisposition: contentDisposition(filename, canShow(file.contentType) ? "inline" : "attachment"),
		range,
	});
}
