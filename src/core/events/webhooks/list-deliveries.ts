import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { deliveryView, exampleDelivery, viewDelivery } from "./delivery.ts";
import { getOwnWebhook } from "./webhook.ts";

export const listWebhookDeliveries = endpoint({
	method: "get",
	path: "/api/v1/webhooks/{id}/deliveries",
	operationId: "listWebhookDeliveries",
	summary: "Read a webhook's log",
	description: "Lists the deliveries of the last 30 days, newest first, with each attempt, its response, and when the next attempt is due.",
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: pageQuery,
	response: {
		status: 200,
		description: "A page of deliveries.",
		schema: pageOf(deliveryView, "Deliveries, newest first.").meta({
			id: "WebhookDeliveryList",
			description: "A page of a webhook's log.",
		}),
	},
	errors: ["NOT_FOUND"],
	page: "guides/webhooks",
	examples: {
		params: { id: ID.webhook },
		query: { limit: "20" },
		responses: { page: { value: { data: [exampleDelivery], pagination: { has_more: false, next_cursor: null } } } },
	},

	handle: (ctx, { params: { id }, query }) =>
		readPageBefore(query, {
			async select(page) {
				await getOwnWebhook(ctx, id);
				return ctx.hubs.callSender(id, (sender) => sender.listDeliveries(page));
			},
			view: viewDelivery,
		}),
});
