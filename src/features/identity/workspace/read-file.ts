// Serving a stored file: conditional requests, ranges, and headers that keep it from running in our origin.

import { AppError } from "../../../domain/errors.ts";
import { Reply } from "../../../http/endpoint.ts";
import { type ByteRange, contentDisposition, serveStoredBytes } from "../../../http/stored-bytes.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { EntityTags, StoredFile } from "../../../ports/workspace.ts";
import { fileNotFound } from "./refusals.ts";
import { canShow, matchesTag, parseEntityTags, resolveRange } from "./rules.ts";
import { quote, viewFile } from "./service.ts";

export interface ReadFileInput {
	readonly path: string;
	readonly metadataOnly: boolean;
	readonly ifNoneMatch: EntityTags | undefined;
	readonly range: string | undefined;
	readonly ifRange: string | undefined;
	/** A HEAD request, whose response has no body. */
	readonly headersOnly: boolean;
}

/** A version's bytes may be deleted a while after it was replaced, so a reader that lost them finds the next version. */
const MAX_READS = 3;

/**
 * A file's bytes, a range of them, or its entry.
 *
 * @throws AppError `NOT_FOUND`, `RANGE_NOT_SATISFIABLE`.
 */
export async function readFile(ctx: Ctx, input: ReadFileInput) {
	for (let read = 1; read <= MAX_READS; read += 1) {
		const file = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.findFile(input.path));
		if (file === null) throw fileNotFound(input.path);
		const etag = quote(tagOf(file));
		if (input.ifNoneMatch !== undefined && matchesTag(input.ifNoneMatch, tagOf(file))) {
			return new Response(null, { status: 304, headers: { ETag: etag } });
		}
		if (input.metadataOnly) return new Reply(viewFile(file), { ETag: etag });
		const response = await respondWithBytes(ctx, file, input);
		if (response !== null) return response;
	}
	throw new Error(`The bytes of a workspace file are missing: ${input.path} of ${ctx.actor.agentId}`);
}

/** Each version has a blob of its own, so the blob's name tells versions apart. */
export function tagOf({ blobKey }: StoredFile): string {
	return blobKey.slice(blobKey.lastIndexOf("/") + 1);
}

/** Null when the blob is gone. */
async function respondWithBytes(ctx: Ctx, file: StoredFile, input: ReadFileInput): Promise<Response | null> {
	const range = chooseRange(file, input);
	if (range === "unsatisfiable") {
		throw new AppError("RANGE_NOT_SATISFIABLE", { headers: { "Content-Range": `bytes */${file.sizeBytes}` } });
	}
	if (input.headersOnly) return serveFile(file, range, null);
	const object = await ctx.bucket.get(file.blobKey, range === null ? {} : { range });
	return object === null ? null : serveFile(file, range, object.body);
}

/** `If-Range` with anything but the present tag asks for the whole file. */
function chooseRange(file: StoredFile, { range, ifRange }: ReadFileInput): ByteRange | "unsatisfiable" | null {
	if (range === undefined) return null;
	const tags = ifRange === undefined ? "*" : parseEntityTags(ifRange);
	return tags !== null && matchesTag(tags, tagOf(file)) ? resolveRange(range, file.sizeBytes) : null;
}

function serveFile(file: StoredFile, range: ByteRange | null, body: ReadableStream | null): Response {
	const filename = file.path.slice(file.path.lastIndexOf("/") + 1);
	return serveStoredBytes({
		body,
		sizeBytes: file.sizeBytes,
		etag: quote(tagOf(file)),
		contentType: file.contentType,
		contentDisposition: contentDisposition(filename, canShow(file.contentType) ? "inline" : "attachment"),
		range,
	});
}
