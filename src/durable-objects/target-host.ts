import { DurableObject } from "cloudflare:workers";
import { HostConsent } from "../core/events/webhooks/host-consent.ts";
import { HostPlaces } from "../core/events/webhooks/host-places.ts";
import { keepAlarm } from "../platform/alarms.ts";
import { systemClock } from "../platform/clock.ts";
import type { HostEntry, HostVisit } from "../ports/hubs.ts";

/**
 * One object per host to which webhooks point. It limits how many requests the host gets at the same time, and how many deliveries it gets
 * in a day if it has never answered a challenge.
 */
export class TargetHost extends DurableObject<Env> {
	readonly #places: HostPlaces;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		const { kv } = ctx.storage;
		const consent = new HostConsent(
			{
				get: (key) => kv.get(key),
				put: (key, value) => kv.put(key, value),
				forgetAt: (time) => void (time === null ? ctx.storage.deleteAlarm() : ctx.storage.setAlarm(time)),
			},
			systemClock,
		);
		this.#places = new HostPlaces(systemClock, consent);
	}

	admit(holder: string, visit: HostVisit): HostEntry {
		return this.#places.admit(holder, visit);
	}

	leave(holder: string): void {
		this.#places.leave(holder);
	}

	agree(): void {
		this.#places.agree();
	}

	override async alarm(): Promise<void> {
		const { storage } = this.ctx;
		await keepAlarm(storage, "host_alarm_failed", async () => (this.#places.hasAgreed ? undefined : storage.deleteAll()));
	}
}
