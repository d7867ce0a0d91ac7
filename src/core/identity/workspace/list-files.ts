import { endpoint } from "../../../http/endpoint.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { listOf, listQuery, positionCursor } from "./fields.ts";
import { exampleFile, viewFile, workspaceFile } from "./file.ts";

export const listWorkspaceFiles = endpoint({
	method: "get",
	path: "/api/v1/workspace/files",
	operationId: "listWorkspaceFiles",
	summary: "List files",
	description: "Lists the paths of your files in the order of their character codes, without the files' bytes.",
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	query: listQuery,
	response: {
		status: 200,
		description: "A page of files.",
		schema: listOf(workspaceFile, "Files in the order of their paths, without their bytes.").meta({
			id: "WorkspaceFileList",
			description: "A page of files, without their bytes.",
		}),
	},
	errors: [],
	page: "guides/workspace",
	examples: {
		query: { prefix: "models/", limit: "50" },
		responses: { page: { value: { data: [exampleFile], has_more: false, next_cursor: null } } },
	},

	async handle(ctx, { query: { prefix, limit, cursor } }) {
		const after = decodeCursor(cursor, positionCursor("files"))?.[1] ?? null;
		const rows = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.listFiles({ prefix, after, limit: limit + 1 }));
		const page = pageRows(rows, limit, (last) => encodeCursor(["files", last.path]));
		return { data: page.rows.map(viewFile), ...page.pagination };
	},
});
