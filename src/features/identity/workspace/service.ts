import * as z from "zod";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { EntityTags, Entry, EntryFacts, Precondition, StoredFile } from "../../../ports/workspace.ts";
import { entryNotFound, quotaExceeded, tooLarge } from "./refusals.ts";
import { ENTRY_LIMITS, FILE_LIMITS, findPathFault, matchesTag } from "./rules.ts";

/** The entry under a key, or 304 when the caller has it already. */
export async function getEntry(ctx: Ctx, key: string, ifNoneMatch: EntityTags | undefined): Promise<Response> {
	const entry = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.getEntry(key));
	if (entry === null) throw entryNotFound(key);
	if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, entry.revision)) {
		return new Response(null, { status: 304, headers: { ETag: quote(entry.revision) } });
	}
	return respondWithEntry(entry);
}

export interface PutEntryInput {
	readonly key: string;
	readonly value: unknown;
	readonly condition: Precondition;
}

/**
 * Creates or replaces an entry.
 *
 * @throws AppError `FILE_TOO_LARGE`, `PRECONDITION_FAILED`, `FILE_QUOTA_EXCEEDED`, `BYTE_QUOTA_EXCEEDED`.
 */
export async function putEntry(ctx: Ctx, { key, value, condition }: PutEntryInput): Promise<Response> {
	const json = serialize(value);
	const sizeBytes = new TextEncoder().encode(json).byteLength;
	if (sizeBytes > ENTRY_LIMITS.valueBytes) throw tooLarge("A value", ENTRY_LIMITS.valueBytes, " Store it as a file instead.");
	const result = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) =>
		workspace.putEntry({ key, value: json, sizeBytes, condition }),
	);
	if (!("refused" in result)) return respondWithEntry({ ...result, value: json });
	throw result.refused === "PRECONDITION_FAILED" ? new AppError("PRECONDITION_FAILED") : quotaExceeded(result.refused, "entries");
}

/** JSON.parse takes deeper nesting than JSON.stringify can write. */
function serialize(value: unknown): string {
	try {
		return JSON.stringify(value);
	} catch (cause) {
		if (!(cause instanceof RangeError)) throw cause;
		throw invalidInput("INVALID_BODY", [{ path: "value", message: "is nested too deeply" }]);
	}
}

/** Made of the stored text, so that a value is neither parsed nor written again on its way. */
function respondWithEntry(entry: Entry): Response {
	const { key, size_bytes, created_at, updated_at } = viewEntryFacts(entry);
	const facts = JSON.stringify({ size_bytes, created_at, updated_at });
	return new Response(`{"key":${JSON.stringify(key)},"value":${entry.value},${facts.slice(1)}`, {
		headers: { "Content-Type": "application/json", ETag: quote(entry.revision) },
	});
}

/** An entity tag as a header contains it. */
export function quote(tag: string): string {
	return `"${tag}"`;
}

function viewEntryFacts(entry: EntryFacts) {
	return { key: entry.key, size_bytes: entry.sizeBytes, created_at: toIso(entry.createdAt), updated_at: toIso(entry.updatedAt) };
}

export function viewFile(file: StoredFile) {
	return {
		path: file.path,
		size_bytes: file.sizeBytes,
		content_type: file.contentType,
		created_at: toIso(file.createdAt),
		updated_at: toIso(file.updatedAt),
	};
}

/** @throws AppError `PRECONDITION_FAILED`. */
export async function deleteEntry(ctx: Ctx, key: string, condition: Precondition) {
	const result = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.deleteEntry({ key, condition }));
	if ("refused" in result) throw new AppError("PRECONDITION_FAILED");
	return { deleted: result.deleted };
}

export interface ListWorkspaceInput {
	readonly prefix: string;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** A page starts after the key or path that the one before ended with, whether that is still there or not. */
function positionCursor(list: "keys" | "files") {
	return z.tuple([z.literal(list), z.string().refine((text) => findPathFault(text) === null)]);
}

export async function listEntries(ctx: Ctx, { prefix, limit, cursor }: ListWorkspaceInput) {
	const after = decodeCursor(cursor, positionCursor("keys"))?.[1] ?? null;
	const rows = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.listEntries({ prefix, after, limit: limit + 1 }));
	const page = pageRows(rows, limit, (last) => encodeCursor(["keys", last.key]));
	return { data: page.rows.map(viewEntryFacts), ...page.pagination };
}

export async function listFiles(ctx: Ctx, { prefix, limit, cursor }: ListWorkspaceInput) {
	const after = decodeCursor(cursor, positionCursor("files"))?.[1] ?? null;
	const rows = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.listFiles({ prefix, after, limit: limit + 1 }));
	const page = pageRows(rows, limit, (last) => encodeCursor(["files", last.path]));
	return { data: page.rows.map(viewFile), ...page.pagination };
}

export async function getEntryQuota(ctx: Ctx) {
	const { entries } = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.readUsage());
	const { count, bytes } = ENTRY_LIMITS;
	return { keys_used: entries.count, keys_limit: count, bytes_used: entries.bytes, bytes_limit: bytes };
}

export async function getFileQuota(ctx: Ctx) {
	const { files } = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.readUsage());
	const { count, bytes, fileBytes } = FILE_LIMITS;
	return {
		files_used: files.count,
		files_limit: count,
		bytes_used: files.bytes,
		bytes_limit: bytes,
		per_file_byte_limit: fileBytes,
	};
}

export async function deleteFile(ctx: Ctx, path: string) {
	const { deleted } = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.deleteFile(path));
	return { deleted };
}
