import type { Deps } from "../src/deps.ts";
import { webhookMessage } from "../src/features/webhooks/messages.ts";
import { deliver, failUnhandledDelivery } from "../src/features/webhooks/service.ts";
import { SECOND_MS } from "../src/platform/clock.ts";

/** A message is only a hint, so it need not wait for a receiver that takes longer than this. */
const PATIENCE_MS = SECOND_MS;

/** Attempts a delivery. A slow receiver is waited for in the background, so that it delays no other message. */
export const consumeWebhook = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const { deliveryId } = webhookMessage.parse(body);
		const attempt = deliver(deps, deliveryId);
		deps.background(attempt);
		let stop = () => {};
		const patience = new Promise<void>((resolve) => {
			stop = deps.clock.after(PATIENCE_MS, resolve);
		});
		await Promise.race([attempt, patience]).finally(stop);
	},
};

/** A delivery whose messages failed every retry is looked at again later. */
export const consumeWebhookDeadLetter = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const { deliveryId } = webhookMessage.parse(body);
		await failUnhandledDelivery(deps, deliveryId);
	},
};
