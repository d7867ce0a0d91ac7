// The keys of the streams that are open in this isolate. Each is checked every 15 seconds, so keys that are due soon are read together.
import { HEARTBEAT_MS } from "../../http/sse.ts";
import { KEY_CACHE_TTL_MS } from "./key-cache.ts";

/** What is read now still counts for checks that come within the time of the cache. */
const DUE_AFTER_MS = HEARTBEAT_MS - KEY_CACHE_TTL_MS;
const MAX_READ_TOGETHER = 1000;

interface Watched {
	readonly streams: number;
	readonly readAt: number;
}

/** Without it, each open stream would cost a call to D1 every 15 seconds. */
export class WatchedKeys {
	/** By hash, the one that was read longest ago first. */
	readonly #keys = new Map<string, Watched>();

	/** Registers a stream that was opened with a key. Returns a function that removes it. */
	watch(hash: string, now: number): () => void {
		this.#put(hash, { streams: this.#streamsOf(hash) + 1, readAt: now });
		return () => {
			const known = this.#keys.get(hash);
			if (known === undefined) return;
			if (known.streams === 1) this.#keys.delete(hash);
			else this.#keys.set(hash, { ...known, streams: known.streams - 1 });
		};
	}

	/** The keys to read when one has to be read: with the key of a stream, those of other streams that are due soon. */
	takeDue(hash: string, now: number): string[] {
		if (!this.#keys.has(hash)) return [hash];
		const due = [hash];
		for (const [other, { readAt }] of this.#keys) {
			const age = now - readAt;
			if (due.length === MAX_READ_TOGETHER || (age >= 0 && age < DUE_AFTER_MS)) break;
			if (other !== hash) due.push(other);
		}
		for (const key of due) this.#put(key, { streams: this.#streamsOf(key), readAt: now });
		return due;
	}

	#streamsOf(hash: string): number {
		return this.#keys.get(hash)?.streams ?? 0;
	}

	/** Moves the key to the end. */
	#put(hash: string, watched: Watched): void {
		this.#keys.delete(hash);
		this.#keys.set(hash, watched);
	}
}
