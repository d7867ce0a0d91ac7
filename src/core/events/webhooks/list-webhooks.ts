import { endpoint } from "../../../http/endpoint.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { selectWebhooks } from "./store.ts";
import { exampleWebhook, viewWebhook, webhookView } from "./webhook.ts";

export const listWebhooks = endpoint({
	method: "get",
	path: "/api/v1/webhooks",
	operationId: "listWebhooks",
	summary: "List the caller's webhooks",
	description: "Newest first, including inactive webhooks, without secrets.",
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	query: pageQuery,
	response: {
		status: 200,
		description: "A page of webhooks.",
		schema: pageOf(webhookView, "Webhooks, newest first, including inactive ones.").meta({
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

	handle: (ctx, { query }) =>
		readPageBefore(query, { select: (page) => selectWebhooks(ctx, { agentId: ctx.actor.agentId, ...page }), view: viewWebhook }),
});
