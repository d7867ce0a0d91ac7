/** Keeps a value that this isolate has read, for as long as it is fresh. */
export class RecentValue<Value> {
	readonly #freshMs: number;
	#latest: { readonly value: Value; readonly readAt: number } | null = null;

	constructor(freshMs: number) {
		this.#freshMs = freshMs;
	}

	/** Returns the value, or null if none was kept, if it is too old, or if `now` is before the read. */
	find(now: number): Value | null {
		if (this.#latest === null) return null;
		const age = now - this.#latest.readAt;
		return age >= 0 && age < this.#freshMs ? this.#latest.value : null;
	}

	/** @param readAt The read began at this time. */
	keep(value: Value, readAt: number): Value {
		this.#latest = { value, readAt };
		return value;
	}

	forget(): void {
		this.#latest = null;
	}
}
