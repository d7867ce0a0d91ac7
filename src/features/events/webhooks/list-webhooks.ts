import { endpoint } from "../../../http/endpoint.ts";
import { decodeIdCursor, encodeCursor, pageOf, pageQuery, pageRows } from "../../../http/pagination.ts";
import { selectWebhooks } from "./store.ts";
import { exampleWebhook, viewWebhook, webhookView } from "./webhook.ts";

export const listWebhooks = endpoint({
	method: "get",
	path: "/api/v1/webhooks",
	operationId: "listWebhooks",
	summary: "List the caller's webhooks",
	description: "Newest first, inactive ones included, without secrets.",
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	query: pageQuery,
	response: {
		status: 200,
		description: "A page of webhooks.",
		schema: pageOf(webhookView, "Webhooks, newest first, inactive ones included.").meta({
			id: "WebhookList",
			description: "A page of the caller's webhooks.",
		}),
	},
	errors: [],
	page: "guides/webhooks",
	examples: {
		query: { limit: "20" },
		responses: { page: { value: { data: [exampleWebhook], pagination: { has_more: false, next_cursor: null } } } },
	},

	async handle(ctx, { query: { limit, cursor } }) {
		const before = decodeIdCursor(cursor);
		const rows = await selectWebhooks(ctx, { agentId: ctx.actor.agentId, before, limit: limit + 1 });
		const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
		return { data: page.rows.map(viewWebhook), pagination: page.pagination };
	},
});
