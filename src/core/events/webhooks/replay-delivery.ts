import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { EXAMPLE_LOG, logUrl, queuedDelivery } from "./delivery.ts";
import { assertActive, getOwnWebhook, targetOf } from "./webhook.ts";

export const replayWebhookDelivery = endpoint({
	method: "post",
	path: "/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay",
	operationId: "replayWebhookDelivery",
	summary: "Send a delivery again",
	description:
		"Creates a new delivery of the same event, with the same body and webhook-id. If the delivery is still pending, its next attempt starts at once instead. That attempt counts as one of the eight, and the response contains the id of the pending delivery.",
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	params: z.object({ id: uuid, deliveryId: uuid }),
	response: { status: 200, description: "The delivery is queued.", schema: queuedDelivery },
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "guides/webhooks",
	examples: {
		params: { id: ID.webhook, deliveryId: ID.delivery },
		responses: {
			queued: { value: { delivery_id: ID.replay, message: `The event is being sent again. See the result in ${EXAMPLE_LOG}.` } },
			pending: { value: { delivery_id: ID.delivery, message: `The next attempt starts now. See the result in ${EXAMPLE_LOG}.` } },
		},
	},

	async handle(ctx, { params: { id, deliveryId } }) {
		const webhook = assertActive(await getOwnWebhook(ctx, id));
		const replay = { id: ctx.ids.next(), deliveryId };
		const outcome = await ctx.hubs.callSender(id, (sender) => sender.replay(replay, targetOf(webhook)));
		if (outcome === "missing") throw new AppError("NOT_FOUND", { message: "This webhook has no such delivery." });
		if (outcome === "pending") {
			return { delivery_id: deliveryId, message: `The next attempt starts now. See the result in ${logUrl(ctx, id)}.` };
		}
		return { delivery_id: replay.id, message: `The event is being sent again. See the result in ${logUrl(ctx, id)}.` };
	},
});
