import { DurableObject } from "cloudflare:workers";
import { createDeps } from "../src/compose/create-deps.ts";
import { deliver } from "../src/features/webhooks/delivery.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";

/** Sends the deliveries of one webhook, so a slow receiver delays only its own deliveries. */
export class WebhookSender extends DurableObject<Env> {
	/** Begins an attempt and does not wait for it. One that is cut off is found by the sweep, once its lease is over. */
	send(deliveryId: string): void {
		const background = (work: Promise<unknown>) => {
			this.ctx.waitUntil(
				work.catch((error: unknown) => consoleLog.error("delivery_failed", { delivery_id: deliveryId, ...describeError(error) })),
			);
		};
		background(deliver(createDeps({ env: this.env, background, readFrom: "first-primary" }), deliveryId));
	}
}
