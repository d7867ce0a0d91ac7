import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { apiKey, exampleKey, viewKey } from "./key.ts";
import { selectActiveKeys } from "./store.ts";

export const listApiKeys = endpoint({
	method: "get",
	path: "/api/api-keys",
	operationId: "listApiKeys",
	summary: "List the active keys of the calling identity",
	description: "Shows only the prefix of each key, because a key cannot be read again. Newest first.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "All active keys.",
		schema: z.object({ data: z.array(apiKey).describe("All active keys, newest first.") }),
	},
	errors: [],
	examples: { responses: { keys: { value: { data: [exampleKey] } } } },

	async handle(ctx) {
		const rows = await selectActiveKeys(ctx, ctx.actor.agentId);
		return { data: rows.map(viewKey) };
	},
});
