import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { entryKey, exampleFacts, toPrecondition, writeConditions } from "./entry.ts";
import { deletion, SLASHES } from "./fields.ts";

export const deleteWorkspaceEntry = endpoint({
	method: "delete",
	path: "/api/v1/workspace/kv/{key}",
	greedyParam: "key",
	operationId: "deleteWorkspaceEntry",
	summary: "Delete a value",
	description: ["Deleting an entry that does not exist also succeeds, unless you send If-Match.", SLASHES].join("\n\n"),
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	params: z.object({ key: entryKey }),
	headers: writeConditions,
	response: { status: 200, description: "Whether the entry existed.", schema: deletion },
	errors: ["PRECONDITION_FAILED"],
	page: "guides/workspace",
	examples: {
		params: { key: exampleFacts.key },
		headers: { "if-match": '"7"', "if-none-match": "*" },
		responses: { deleted: { value: { deleted: true } }, absent: { summary: "The entry did not exist", value: { deleted: false } } },
	},

	async handle(ctx, { params: { key }, headers }) {
		const condition = toPrecondition(headers);
		const outcome = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.deleteEntry({ key, condition }));
		if ("refused" in outcome) throw new AppError("PRECONDITION_FAILED");
		return { deleted: outcome.deleted };
	},
});
