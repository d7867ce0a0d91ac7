import { dispatchRest } from "../src/events/dispatch.ts";
import type { Deps } from "../src/ports/deps.ts";
import { webhookMessage } from "../src/ports/queues.ts";

/**
 * Hands a delivery to the sender of its webhook, so that the queue waits for no receiver, or continues the fan-out of an event.
 * A message that fails every retry is dropped: the sweeps send another one for what it was about.
 */
export const consumeWebhook = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const message = webhookMessage.parse(body);
		if ("eventId" in message) await dispatchRest(deps, message.eventId);
		else await deps.hubs.sendDelivery(message);
	},
};
