import { dispatchEvent } from "../src/events/dispatch.ts";
import { failUnhandledDelivery } from "../src/features/webhooks/delivery.ts";
import type { Deps } from "../src/ports/deps.ts";
import { webhookMessage } from "../src/ports/queues.ts";

/** Hands a delivery to its webhook's own sender, as the queue waits for no receiver, or goes on with an event of many subscriptions. */
export const consumeWebhook = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const message = webhookMessage.parse(body);
		if ("eventId" in message) await dispatchEvent(deps, message.eventId);
		else await deps.hubs.sendDelivery(message);
	},
};

/** A delivery whose messages failed every retry is looked at again later; an event is found by the sweep. */
export const consumeWebhookDeadLetter = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const message = webhookMessage.parse(body);
		if ("deliveryId" in message) await failUnhandledDelivery(deps, message.deliveryId);
	},
};
