// The keys of the streams that are open in this isolate. Each is checked every 15 seconds, so keys that are due soon are read together.
import { HEARTBEAT_MS } from "../../http/sse.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { KEY_CACHE_TTL_MS } from "./key-cache.ts";

/** What is read now still counts for checks that come within the time of the cache. */
const DUE_AFTER_MS = HEARTBEAT_MS - KEY_CACHE_TTL_MS;
/** The stream of a key that was not checked for so long has ended. Nothing else says so when a client disappears. */
const FORGET_AFTER_MS = 2 * HEARTBEAT_MS;
/** Checks that come while a read is under way do not read its keys again. */
const READ_MS = SECOND_MS;
const MAX_READ_TOGETHER = 1000;

/** Times in milliseconds since the epoch. */
interface Watched {
	readonly checkedAt: number;
	/** When it was last read ahead of its check. */
	takenAt: number;
}

/** Without it, each open stream would cost a call to D1 every 15 seconds. */
export class WatchedKeys {
	/** By hash, the one that was checked longest ago first. */
	readonly #keys = new Map<string, Watched>();

	/** Records that a stream checks its key now. */
	noteCheck(hash: string, now: number): void {
		const takenAt = this.#keys.get(hash)?.takenAt ?? 0;
		this.#keys.delete(hash);
		this.#keys.set(hash, { checkedAt: now, takenAt });
	}

	/** The keys to read when one has to be read: with the key of a stream, those of other streams whose next check is near. */
	takeDue(hash: string, now: number): string[] {
		const due = [hash];
		if (!this.#keys.has(hash)) return due;
		for (const [other, watched] of this.#keys) {
			const age = now - watched.checkedAt;
			// A clock that was set back says nothing of a key until its next check.
			if (age > FORGET_AFTER_MS || age < 0) this.#keys.delete(other);
			else if (age < DUE_AFTER_MS || due.length === MAX_READ_TOGETHER) break;
			else if (other !== hash && now - watched.takenAt >= READ_MS) {
				watched.takenAt = now;
				due.push(other);
			}
		}
		return due;
	}
}
