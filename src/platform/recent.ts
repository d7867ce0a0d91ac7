import { SECOND_MS } from "./clock.ts";

/** Keeps a value that this isolate has read, for a number of milliseconds. */
export class RecentValue<Value> {
	readonly #freshMs: number;
	#latest: { readonly value: Value; readonly readAt: number } | null = null;

	constructor(freshMs: number) {
		this.#freshMs = freshMs;
	}

	/** Returns the value. Returns null if there is none, if it is too old, or if it was read after `now`. */
	find(now: number): Value | null {
		if (this.#latest === null) return null;
		const age = now - this.#latest.readAt;
		return age >= 0 && age < this.#freshMs ? this.#latest.value : null;
	}

	/** @param readAt When the read began. */
	keep(value: Value, readAt: number): Value {
		this.#latest = { value, readAt };
		return value;
	}

	forget(): void {
		this.#latest = null;
	}
}

const MISS_MS = 2 * SECOND_MS;
const MAX_MISSES = 10_000;

/** Remembers for two seconds the names for which a lookup found nothing, so that repeated lookups do not reach the database. */
export class RecentMisses {
	readonly #missedAt = new Map<string, number>();

	has(name: string, now: number): boolean {
		const age = now - (this.#missedAt.get(name) ?? Number.NEGATIVE_INFINITY);
		return age >= 0 && age < MISS_MS;
	}

	note(name: string, now: number): void {
		const oldest = this.#missedAt.size >= MAX_MISSES ? this.#missedAt.keys().next().value : undefined;
		if (oldest !== undefined) this.#missedAt.delete(oldest);
		this.#missedAt.delete(name);
		this.#missedAt.set(name, now);
	}
}
