import type { Clock } from "../../../platform/clock.ts";
import type { HostEntry, HostVisit } from "../../../ports/hubs.ts";
import type { HostConsent } from "./host-consent.ts";
import { CUT_OFF_AFTER_MS, MAX_HOST_IN_FLIGHT } from "./rules.ts";

/**
 * Limits how many requests to the same host run in parallel, across all webhooks that point to it. Places need no storage, because the
 * timer of a taken place keeps the Durable Object alive.
 */
export class HostPlaces {
	readonly #clock: Pick<Clock, "after">;
	readonly #consent: HostConsent;
	/** Maps each holder of a place to a function that cancels its timer. The timer frees the place if the holder dies without leaving. */
	readonly #expiries = new Map<string, () => void>();

	constructor(clock: Pick<Clock, "after">, consent: HostConsent) {
		this.#clock = clock;
		this.#consent = consent;
	}

	get hasAgreed(): boolean {
		return this.#consent.hasAgreed;
	}

	/** Takes a place for the holder, or returns why there is none. A holder that already has a place gives it up first. */
	admit(holder: string, visit: HostVisit): HostEntry {
		this.leave(holder);
		if (this.#expiries.size >= MAX_HOST_IN_FLIGHT) return "full";
		const isUnasked = visit !== "asked" && !this.#consent.hasAgreed;
		if (isUnasked && visit === "first" && !this.#consent.count()) return "spent";
		this.#expiries.set(
			holder,
			this.#clock.after(CUT_OFF_AFTER_MS, () => this.#expiries.delete(holder)),
		);
		return isUnasked ? "unasked" : "entered";
	}

	leave(holder: string): void {
		this.#expiries.get(holder)?.();
		this.#expiries.delete(holder);
	}

	/** Records that the host has repeated a challenge. */
	agree(): void {
		this.#consent.agree();
	}
}
