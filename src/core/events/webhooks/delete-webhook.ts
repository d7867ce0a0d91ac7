import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { stopWebhook } from "./statements.ts";
import { getOwnWebhook, refreshSender } from "./webhook.ts";

export const deleteWebhook = endpoint({
	method: "delete",
	path: "/api/v1/webhooks/{id}",
	operationId: "deleteWebhook",
	summary: "Deactivate a webhook",
	description: "Stops the webhook at once, including scheduled retries. You can still read its log.",
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The webhook is inactive.",
		schema: z.object({
			id: z.uuid().describe("The id of the webhook."),
			active: z.literal(false).describe("Always false: the webhook receives no more events."),
		}),
	},
	errors: ["NOT_FOUND"],
	page: "guides/webhooks",
	examples: {
		params: { id: ID.webhook },
		responses: { inactive: { value: { id: ID.webhook, active: false } } },
	},

	// Safe to repeat. A repeated request notifies the webhook's object again, in case the first one could not reach it.
	async handle(ctx, { params: { id } }) {
		const webhook = await getOwnWebhook(ctx, id);
		if (webhook.inactiveReason !== "deleted") await commit(ctx.db, [stopWebhook(ctx, id)]);
		await refreshSender(ctx, id);
		return { id, active: false as const };
	},
});
