// The keys of the streams that are open in this isolate. Each is checked every 15 seconds, so keys that are due soon are read together.
import { HEARTBEAT_MS } from "../../http/sse.ts";
import { KEY_CACHE_TTL_MS } from "./key-cache.ts";

/** What is read now still counts for checks that come within the time of the cache. */
const DUE_AFTER_MS = HEARTBEAT_MS - KEY_CACHE_TTL_MS;
/** The stream of a key that was not checked for so long has ended. Nothing else says so when a client disappears. */
const FORGET_AFTER_MS = 2 * HEARTBEAT_MS;
const MAX_READ_TOGETHER = 1000;

/** Times in milliseconds since the epoch. */
interface Watched {
	readonly checkedAt: number;
	readonly readAt: number;
}

/** Without it, each open stream would cost a call to D1 every 15 seconds. */
export class WatchedKeys {
	/** By hash, the one that was read longest ago first. */
	readonly #keys = new Map<string, Watched>();

	/** Records that a stream checks its key now. */
	noteCheck(hash: string, now: number): void {
		this.#keys.set(hash, { checkedAt: now, readAt: this.#keys.get(hash)?.readAt ?? now });
	}

	/** The keys to read when one has to be read: with the key of a stream, those of other streams that are due soon. */
	takeDue(hash: string, now: number): string[] {
		const asked = this.#keys.get(hash);
		if (asked === undefined) return [hash];
		const due = new Map([[hash, asked]]);
		for (const [other, watched] of this.#keys) {
			const age = now - watched.readAt;
			if (due.size === MAX_READ_TOGETHER || (age >= 0 && age < DUE_AFTER_MS)) break;
			if (now - watched.checkedAt > FORGET_AFTER_MS) this.#keys.delete(other);
			else due.set(other, watched);
		}
		for (const [key, { checkedAt }] of due) {
			this.#keys.delete(key);
			this.#keys.set(key, { checkedAt, readAt: now });
		}
		return [...due.keys()];
	}
}
