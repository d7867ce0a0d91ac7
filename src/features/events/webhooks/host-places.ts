// How many requests are under way to one host, over all webhooks that point at it.
import type { Clock } from "../../../platform/clock.ts";
import { CUT_OFF_AFTER_MS, MAX_HOST_IN_FLIGHT } from "./rules.ts";

/** The places of one host. In memory only: their timers keep the Durable Object there while a place is taken. */
export class HostPlaces {
	readonly #clock: Pick<Clock, "after">;
	/** What takes a place back whose holder has died, by holder. */
	readonly #expiries = new Map<string, () => void>();

	constructor(clock: Pick<Clock, "after">) {
		this.#clock = clock;
	}

	/** Takes a place, or keeps it. Returns false when others have all of them. */
	enter(holder: string): boolean {
		this.leave(holder);
		if (this.#expiries.size >= MAX_HOST_IN_FLIGHT) return false;
		this.#expiries.set(
			holder,
			this.#clock.after(CUT_OFF_AFTER_MS, () => this.#expiries.delete(holder)),
		);
		return true;
	}

	leave(holder: string): void {
		this.#expiries.get(holder)?.();
		this.#expiries.delete(holder);
	}
}
