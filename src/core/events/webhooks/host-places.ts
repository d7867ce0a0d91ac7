import type { Clock } from "../../../platform/clock.ts";
import { CUT_OFF_AFTER_MS, MAX_HOST_IN_FLIGHT } from "./rules.ts";

/**
 * Limits the requests that are under way to one host, over all webhooks that point at it. It needs no storage, because timers keep the
 * Durable Object alive while a place is taken.
 */
export class HostPlaces {
	readonly #clock: Pick<Clock, "after">;
	/** Each holder has a timer that takes its place back if it has died. The function stops the timer. */
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
