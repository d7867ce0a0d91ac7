import { type Clock, DAY_MS, utcDayOf } from "../../../platform/clock.ts";
import { UNASKED_PER_DAY } from "./rules.ts";

/** One host's object keeps this. */
export interface HostMemory {
	get<Value>(key: string): Value | undefined;
	put(key: string, value: unknown): void;
	/** Forgets everything at this time. Null: never. */
	forgetAt(time: number | null): void;
}

/**
 * Remembers whether a host has ever repeated a challenge, which shows that its owner wants deliveries. Until then, all webhooks that point at
 * it share a number of deliveries a day, so that agents cannot make the platform send more to a host that never agreed.
 */
export class HostConsent {
	readonly #memory: HostMemory;
	readonly #clock: Pick<Clock, "now">;

	constructor(memory: HostMemory, clock: Pick<Clock, "now">) {
		this.#memory = memory;
		this.#clock = clock;
	}

	get hasAgreed(): boolean {
		return this.#memory.get<boolean>("agreed") === true;
	}

	/** The host has answered a challenge. */
	agree(): void {
		if (this.hasAgreed) return;
		this.#memory.put("agreed", true);
		this.#memory.forgetAt(null);
	}

	/** Counts a delivery to a host that has not agreed. Returns false when the UTC day has none left. */
	count(): boolean {
		const now = this.#clock.now();
		const day = utcDayOf(now);
		const counted = this.#memory.get<{ day: string; deliveries: number }>("unasked");
		const deliveries = counted?.day === day ? counted.deliveries : 0;
		if (deliveries >= UNASKED_PER_DAY) return false;
		this.#memory.put("unasked", { day, deliveries: deliveries + 1 });
		// Deletes the state of a host that gets no more deliveries, so that it costs nothing.
		if (deliveries === 0) this.#memory.forgetAt(Date.parse(day) + DAY_MS);
		return true;
	}
}
