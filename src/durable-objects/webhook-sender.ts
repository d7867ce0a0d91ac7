import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import { backgroundIn, createDeps } from "../compose/create-deps.ts";
import { DeliverySender } from "../core/events/webhooks/object/delivery-sender.ts";
import migrations from "../core/events/webhooks/object/migrations/migrations.js";
import { systemClock } from "../platform/clock.ts";

/** One object per webhook. It stores and sends the webhook's deliveries, so that a slow receiver delays no other webhook. */
export class WebhookSender extends DeliverySender {
	constructor(ctx: DurableObjectState, env: Env) {
		const db = drizzle(ctx.storage);
		const openDeps = () => createDeps({ env, background: backgroundIn(ctx), readFrom: "first-primary" });
		super(ctx, env, { db, alarm: ctx.storage, clock: systemClock, openDeps });
		ctx.blockConcurrencyWhile(async () => {
			await migrate(db, migrations);
			await this.wake();
		});
	}
}
