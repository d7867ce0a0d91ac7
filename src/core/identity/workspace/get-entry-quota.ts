import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { count } from "../../../http/fields.ts";
import { ENTRY_LIMITS } from "./rules.ts";

export const getWorkspaceQuota = endpoint({
	method: "get",
	path: "/api/v1/workspace/quota",
	operationId: "getWorkspaceQuota",
	summary: "Read the quota for values",
	description:
		"Shows how many keys and bytes your workspace uses for values, and how many are allowed. The size of a value is the size of its JSON.",
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "The key-value quota.",
		schema: z
			.object({
				keys_used: count.describe("Number of stored keys."),
				keys_limit: count.describe("Maximum number of keys."),
				bytes_used: count.describe("Bytes of all stored values."),
				bytes_limit: count.describe("Maximum bytes of all values together."),
			})
			.meta({ id: "WorkspaceQuota", description: "The quota for values." }),
	},
	errors: [],
	page: "guides/workspace",
	examples: { responses: { quota: { value: { keys_used: 1, keys_limit: 10_000, bytes_used: 29, bytes_limit: 10_485_760 } } } },

	async handle(ctx) {
		const { entries } = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.readUsage());
		const { count: keys, bytes } = ENTRY_LIMITS;
		return { keys_used: entries.count, keys_limit: keys, bytes_used: entries.bytes, bytes_limit: bytes };
	},
});
