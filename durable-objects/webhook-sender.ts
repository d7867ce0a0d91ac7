import { DurableObject } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import { createDeps } from "../src/compose/create-deps.ts";
import { DeliverySender } from "../src/features/events/webhooks/object/delivery-sender.ts";
import migrations from "../src/features/events/webhooks/object/migrations/migrations.js";
import { systemClock } from "../src/platform/clock.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import type { PageBefore } from "../src/ports/database.ts";
import type * as port from "../src/ports/webhook-sender.ts";

/**
 * Each webhook has one of these objects, which stores its deliveries and sends them, so a slow receiver delays only its own deliveries.
 */
export class WebhookSender extends DurableObject<Env> implements port.WebhookSenderPort {
	readonly #sender: DeliverySender;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		const db = drizzle(ctx.storage);
		this.#sender = new DeliverySender({ db, alarm: ctx.storage, clock: systemClock, openDeps: () => this.#openDeps() });
		ctx.blockConcurrencyWhile(async () => {
			await migrate(db, migrations);
			await this.#sender.wake();
		});
	}

	#openDeps() {
		const background = (work: Promise<unknown>) => {
			this.ctx.waitUntil(work.catch((error: unknown) => consoleLog.error("background_failed", describeError(error))));
		};
		return createDeps({ env: this.env, background, readFrom: "first-primary" });
	}

	deliver(delivery: port.NewDelivery, target: port.WebhookTarget) {
		return this.#sender.deliver(delivery, target);
	}
	deliverNow(delivery: port.NewDelivery, target: port.WebhookTarget) {
		return this.#sender.deliverNow(delivery, target);
	}
	replay(replay: { readonly id: string; readonly deliveryId: string }, target: port.WebhookTarget) {
		return this.#sender.replay(replay, target);
	}
	refresh(isRenewed?: boolean) {
		return this.#sender.refresh(isRenewed);
	}
	listDeliveries(query: PageBefore) {
		return this.#sender.listDeliveries(query);
	}
	listUnsuccessful(query: port.UnsuccessfulQuery) {
		return this.#sender.listUnsuccessful(query);
	}
	findUnsuccessful(deliveryId: string) {
		return this.#sender.findUnsuccessful(deliveryId);
	}
	hasten(deliveryId: string) {
		return this.#sender.hasten(deliveryId);
	}
	eraseAbout(text: string) {
		return this.#sender.eraseAbout(text);
	}
	erase() {
		return this.#sender.erase();
	}

	override alarm() {
		return this.#sender.alarm();
	}
}
