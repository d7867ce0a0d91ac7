import type { Deps } from "../src/deps.ts";
import { webhookMessage } from "../src/features/webhooks/messages.ts";
import { failUnhandledDelivery } from "../src/features/webhooks/service.ts";

/** Hands a delivery to its webhook's own sender: the queue waits for no receiver. */
export const consumeWebhook = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		await deps.hubs.sendDelivery(webhookMessage.parse(body));
	},
};

/** A delivery whose messages failed every retry is looked at again later. */
export const consumeWebhookDeadLetter = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const { deliveryId } = webhookMessage.parse(body);
		await failUnhandledDelivery(deps, deliveryId);
	},
};
