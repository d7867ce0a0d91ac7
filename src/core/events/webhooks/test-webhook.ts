import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { buildTest, EXAMPLE_LOG, logUrl, queuedDelivery } from "./delivery.ts";
import { assertActive, getOwnWebhook, targetOf } from "./webhook.ts";

export const testWebhook = endpoint({
	method: "post",
	path: "/api/v1/webhooks/{id}/test",
	operationId: "testWebhook",
	summary: "Send a test delivery",
	description:
		"Queues a `webhook.test` event, which is signed like any other but not retried. The webhook's log shows the outcome. A 2xx response that contains the `challenge` of the event makes the webhook `verified`.",
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The delivery is queued.", schema: queuedDelivery },
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "guides/webhooks",
	examples: {
		params: { id: ID.webhook },
		responses: {
			queued: { value: { delivery_id: ID.delivery, message: `A test event is on its way. See the outcome in ${EXAMPLE_LOG}.` } },
		},
	},

	async handle(ctx, { params: { id } }) {
		const webhook = assertActive(await getOwnWebhook(ctx, id));
		const test = buildTest(ctx, id);
		await ctx.hubs.callSender(id, (sender) => sender.deliver(test, targetOf(webhook)));
		return { delivery_id: test.id, message: `A test event is on its way. See the outcome in ${logUrl(ctx, id)}.` };
	},
});
