import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { deletion, SLASHES } from "./fields.ts";
import { exampleFile, filePath } from "./file.ts";

export const deleteWorkspaceFile = endpoint({
	method: "delete",
	path: "/api/v1/workspace/files/{path}",
	greedyParam: "path",
	operationId: "deleteWorkspaceFile",
	summary: "Delete a file",
	description: ["Deleting a file that does not exist also succeeds.", SLASHES].join("\n\n"),
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	params: z.object({ path: filePath }),
	response: { status: 200, description: "Whether the file existed.", schema: deletion },
	errors: [],
	page: "guides/workspace",
	examples: {
		params: { path: exampleFile.path },
		responses: { deleted: { value: { deleted: true } }, absent: { summary: "The file did not exist", value: { deleted: false } } },
	},

	async handle(ctx, { params: { path } }) {
		const { deleted } = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.deleteFile(path));
		return { deleted };
	},
});
