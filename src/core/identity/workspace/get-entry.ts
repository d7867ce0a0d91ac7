import * as z from "zod";
import { matchesTag, quoteTag } from "../../../domain/entity-tags.ts";
import { AppError } from "../../../domain/errors.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { entityTags } from "../../../http/entity-tags.ts";
import { entryKey, exampleEntry, exampleFacts, respondWithEntry, workspaceEntry } from "./entry.ts";
import { ENTRY_ETAG, SLASHES } from "./fields.ts";

export const getWorkspaceEntry = endpoint({
	method: "get",
	path: "/api/v1/workspace/kv/{key}",
	greedyParam: "key",
	operationId: "getWorkspaceEntry",
	summary: "Read a value",
	description: [
		"Returns the entry under a key of your own workspace. With If-None-Match, returns 304 without a body if the entry has not changed.",
		SLASHES,
	].join("\n\n"),
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	params: z.object({ key: entryKey }),
	headers: z.object({ "if-none-match": entityTags("Returns 304 if the entry's ETag is one of these.") }),
	response: {
		status: 200,
		description: "The entry.",
		schema: workspaceEntry,
		headers: ENTRY_ETAG,
		others: [{ status: 304, description: "The entry has not changed." }],
	},
	errors: ["NOT_FOUND"],
	page: "guides/workspace",
	examples: { params: { key: exampleFacts.key }, headers: { "if-none-match": '"7"' }, responses: { entry: { value: exampleEntry } } },

	async handle(ctx, { params: { key }, headers }) {
		const entry = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.getEntry(key));
		if (entry === null) {
			throw new AppError("NOT_FOUND", { message: `Your workspace has no key ${key}. GET /api/v1/workspace/kv lists its keys.` });
		}
		const ifNoneMatch = headers["if-none-match"];
		if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, entry.revision)) {
			return new Response(null, { status: 304, headers: { ETag: quoteTag(entry.revision) } });
		}
		return respondWithEntry(entry);
	},
});
