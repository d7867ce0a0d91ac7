import { type Clock, DAY_MS, utcDayOf } from "../../../platform/clock.ts";
import { UNASKED_PER_DAY } from "./rules.ts";

/** The storage of a host's object. */
export interface HostMemory {
	get<Value>(key: string): Value | undefined;
	put(key: string, value: unknown): void;
	/** Sets when everything that is stored for the host is deleted. Null means never. */
	forgetAt(time: number | null): void;
}

/**
 * Remembers whether a host has ever repeated a challenge, which shows that its owner wants deliveries. Until then, all webhooks that point
 * to it share a daily number of deliveries, so that agents cannot make the platform flood a host that has not agreed.
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

	/** Records that the host has repeated a challenge. */
	agree(): void {
		if (this.hasAgreed) return;
		this.#memory.put("agreed", true);
		this.#memory.forgetAt(null);
	}

	/** Counts a delivery to a host that has not agreed. Returns false if none is left for the UTC day. */
	count(): boolean {
		const now = this.#clock.now();
		const day = utcDayOf(now);
		const counted = this.#memory.get<{ day: string; deliveries: number }>("unasked");
		const deliveries = counted?.day === day ? counted.deliveries : 0;
		if (deliveries >= UNASKED_PER_DAY) return false;
		this.#memory.put("unasked", { day, deliveries: deliveries + 1 });
		// If no more deliveries come, the state is deleted, so the object costs nothing.
		if (deliveries === 0) this.#memory.forgetAt(Date.parse(day) + DAY_MS);
		return true;
	}
}
