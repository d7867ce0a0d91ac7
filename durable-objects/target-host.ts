import { DurableObject } from "cloudflare:workers";
import { HostPlaces } from "../src/core/events/webhooks/host-places.ts";
import { systemClock } from "../src/platform/clock.ts";

/** Each host that webhooks point at has one of these objects, which limits the requests that are under way to it. */
export class TargetHost extends DurableObject<Env> {
	readonly #places = new HostPlaces(systemClock);

	enter(holder: string): boolean {
		return this.#places.enter(holder);
	}

	leave(holder: string): void {
		this.#places.leave(holder);
	}
}
