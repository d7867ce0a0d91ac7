import { systemClock } from "./clock.ts";
import { randomBytes } from "./crypto.ts";

/** Makes identifiers. Version 7 UUIDs start with the time, so that inserts and indexes stay in creation order. */
export interface Ids {
	/** A UUIDv7, greater than every one this isolate made before within the same or an earlier millisecond. */
	next(): string;
}

const SEQUENCE_BITS = 12n;
const MAX_SEQUENCE = (1n << SEQUENCE_BITS) - 1n;

/**
 * Creates a generator of monotonic UUIDv7s (RFC 9562, method 1: the 12 bits after the version count within a millisecond).
 *
 * @param now Milliseconds since the Unix epoch.
 */
export function createIds(now: () => number = systemClock.now): Ids {
	let lastMs = 0n;
	let sequence = 0n;
	return {
		next() {
			const ms = BigInt(now());
			if (ms > lastMs) {
				lastMs = ms;
				sequence = BigInt(randomBytes(1)[0] ?? 0);
			} else if (sequence === MAX_SEQUENCE) {
				lastMs += 1n;
				sequence = 0n;
			} else {
				sequence += 1n;
			}
			return formatUuidV7(lastMs, sequence, randomBytes(8));
		},
	};
}

function formatUuidV7(ms: bigint, sequence: bigint, tail: Uint8Array): string {
	const head = ((ms << 16n) | (7n << 12n) | sequence).toString(16).padStart(16, "0");
	const variant = ((tail[0] ?? 0) & 0x3f) | 0x80;
	const rest = [variant, ...tail.subarray(1)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	return [head.slice(0, 8), head.slice(8, 12), head.slice(12), rest.slice(0, 4), rest.slice(4)].join("-");
}

/** The smallest UUIDv7 of an instant: ids made before it sort below, ids made later above. `ms` since the epoch. */
export function idFloorAt(ms: number): string {
	return formatUuidV7(BigInt(ms), 0n, new Uint8Array(8));
}
