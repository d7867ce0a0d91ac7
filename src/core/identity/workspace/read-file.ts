import * as z from "zod";
import { type EntityTags, matchesTag, quoteTag } from "../../../domain/entity-tags.ts";
import { AppError } from "../../../domain/errors.ts";
import { endpoint, Reply } from "../../../http/endpoint.ts";
import { headerText } from "../../../http/fields.ts";
import {
	chooseBytes,
	contentDisposition,
	EXAMPLE_CONDITIONS,
	partsOfBytes,
	STORED_BYTES_CONDITIONS,
	STORED_BYTES_HEADERS,
	serveStoredBytes,
} from "../../../http/stored-bytes.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { WorkspaceFile } from "../../../ports/workspace.ts";
import { ENTRY_ETAG, SLASHES } from "./fields.ts";
import { exampleFile, filePath, tagOf, viewFile, workspaceFile } from "./file.ts";
import { canShow } from "./rules.ts";

export const readWorkspaceFile = endpoint({
	method: "get",
	path: "/api/v1/workspace/files/{path}",
	greedyParam: "path",
	operationId: "readWorkspaceFile",
	summary: "Read a file, or its metadata",
	description: [
		"Returns the bytes, or a range of them, with their stored Content-Type. With metadata=1 or the header X-Workspace-Metadata-Only, returns the file's entry as JSON.",
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
		"x-workspace-metadata-only": headerText.optional().describe("Any value except `0` and `false` has the same effect as `metadata=1`."),
		...STORED_BYTES_CONDITIONS,
	}),
	response: {
		status: 200,
		description: "The file's entry, or its bytes.",
		schema: workspaceFile,
		headers: { ...STORED_BYTES_HEADERS, ...ENTRY_ETAG },
		others: [
			{ status: 200, description: "The file's entry, or its bytes.", contentType: "application/octet-stream" },
			...partsOfBytes("application/octet-stream"),
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
			...EXAMPLE_CONDITIONS,
		},
		responses: { metadata: { summary: "With metadata=1", value: exampleFile } },
	},

	async handle(ctx, { params: { path }, query, headers, request }) {
		const isMetadataOnly = isYes(query.metadata) || isYes(headers["x-workspace-metadata-only"]);
		for (let read = 1; read <= MAX_READS; read += 1) {
			const file = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.findFile(path));
			if (file === null) {
				throw new AppError("NOT_FOUND", {
					message: `Your workspace has no file ${path}. GET /api/v1/workspace/files lists its files.`,
				});
			}
			const response = isMetadataOnly ? describeFile(file, headers["if-none-match"]) : await serveFile(ctx, file, request);
			if (response !== null) return response;
		}
		throw new Error(`The bytes of a workspace file are missing: ${path} of ${ctx.actor.agentId}`);
	},
});

/**
 * The maximum number of attempts to look up the file and read its bytes. If the bytes are missing, the file has been replaced or
 * deleted in the meantime, so the next attempt looks it up again.
 */
const MAX_READS = 3;

function isYes(flag: string | undefined): boolean {
	return flag !== undefined && !["", "0", "false"].includes(flag.trim().toLowerCase());
}

function describeFile(file: WorkspaceFile, ifNoneMatch: EntityTags | undefined): Response | Reply<z.input<typeof workspaceFile>> {
	const headers = { ETag: quoteTag(tagOf(file)) };
	const isKnown = ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tagOf(file));
	return isKnown ? new Response(null, { status: 304, headers }) : new Reply(viewFile(file), headers);
}

/** Responds with the file. Returns null if its blob has been deleted. */
async function serveFile(ctx: Ctx, file: WorkspaceFile, request: Request): Promise<Response | null> {
	const { sizeBytes, contentType, path } = file;
	const etag = quoteTag(tagOf(file));
	const selection = chooseBytes(request, { etag, sizeBytes });
	if (selection instanceof Response) return selection;
	const { range, isHead } = selection;
	const object = isHead ? null : await ctx.bucket.get(file.blobKey, range === null ? {} : { range });
	if (object === null && !isHead) return null;
	const filename = path.slice(path.lastIndexOf("/") + 1);
	const disposition = contentDisposition(filename, canShow(contentType) ? "inline" : "attachment");
	return serveStoredBytes({ body: object?.body ?? null, sizeBytes, etag, contentType, contentDisposition: disposition, range });
}
