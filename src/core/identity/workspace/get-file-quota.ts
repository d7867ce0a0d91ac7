import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { count } from "../../../http/fields.ts";
import { exampleFile } from "./file.ts";
import { FILE_LIMITS } from "./rules.ts";

export const getWorkspaceFileQuota = endpoint({
	method: "get",
	path: "/api/v1/workspace/files/quota",
	operationId: "getWorkspaceFileQuota",
	summary: "Read the quota for files",
	description:
		"Shows how many files and bytes you use, and how many are allowed. An upload that you have not finalized counts from when its bytes arrive until its URL expires.",
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "The file quota.",
		schema: z
			.object({
				files_used: count.describe("Number of stored files."),
				files_limit: count.describe("Maximum number of files."),
				bytes_used: count.describe("Bytes of all stored files, and of uploads that are not finalized yet."),
				bytes_limit: count.describe("Maximum bytes of all files together."),
				per_file_byte_limit: count.describe("Maximum bytes of one file."),
			})
			.meta({ id: "WorkspaceFileQuota", description: "The quota for files." }),
	},
	errors: [],
	page: "guides/workspace",
	examples: {
		responses: {
			quota: {
				value: {
					files_used: 1,
					files_limit: 1000,
					bytes_used: exampleFile.size_bytes,
					bytes_limit: 104_857_600,
					per_file_byte_limit: 26_214_400,
				},
			},
		},
	},

	async handle(ctx) {
		const { files } = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.readUsage());
		return {
			files_used: files.count,
			files_limit: FILE_LIMITS.count,
			bytes_used: files.bytes,
			bytes_limit: FILE_LIMITS.bytes,
			per_file_byte_limit: FILE_LIMITS.fileBytes,
		};
	},
});
