import { DurableObject } from "cloudflare:workers";
import { HostPlaces } from "../src/features/events/webhooks/host-places.ts";
import { systemClock } from "../src/platform/clock.ts";

/** One per host that webhooks point at: limits the requests that are under way to it. */
export class TargetHost extends DurableObject<Env> {
	readonly #places = new HostPlaces(systemClock);

	enter(holder: string): boolean {
		return this.#places.enter(holder);
	}

	leave(holder: string): void {
		this.#places.leave(holder);
	}
}
