import { endpoint } from "../../../http/endpoint.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { entryFacts, exampleFacts, viewEntryFacts } from "./entry.ts";
import { listOf, listQuery, positionCursor } from "./fields.ts";

export const listWorkspaceEntries = endpoint({
	method: "get",
	path: "/api/v1/workspace/kv",
	operationId: "listWorkspaceEntries",
	summary: "List keys",
	description:
		"Lists your keys in the order of their character codes, without values. Keys added or deleted while you page do not shift the others.",
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
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
	page: "guides/workspace",
	examples: {
		query: { prefix: "runs/", limit: "50" },
		responses: { page: { value: { data: [exampleFacts], has_more: false, next_cursor: null } } },
	},

	async handle(ctx, { query: { prefix, limit, cursor } }) {
		const after = decodeCursor(cursor, positionCursor("keys"))?.[1] ?? null;
		const rows = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.listEntries({ prefix, after, limit: limit + 1 }));
		const page = pageRows(rows, limit, (last) => encodeCursor(["keys", last.key]));
		return { data: page.rows.map(viewEntryFacts), ...page.pagination };
	},
});
