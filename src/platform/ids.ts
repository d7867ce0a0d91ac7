import { systemClock } from "./clock.ts";
import { randomBytes } from "./crypto.ts";

/** Generates ids. UUIDs of version 7 begin with the time, so inserts and indexes stay in the order of creation. */
export interface Ids {
	/** Returns a UUIDv7 that is greater than all others that this isolate has generated in the same or an earlier millisecond. */
	next(): string;
	/** Does the same as {@link next}, and writes the number of a part of the directory into the id. */
	nextIn(part: number): string;
}

/** The part to which new agents belong. The directory has only this part today. */
export const FIRST_PART = 0;

const MAX_SEQUENCE = 0xfff;

/**
 * Creates a generator of increasing UUIDv7s (RFC 9562, method 1): the 12 bits after the version are a counter within a millisecond.
 *
 * @param now Returns milliseconds since the Unix epoch.
 */
export function createIds(now: () => number = systemClock.now): Ids {
	let lastMs = 0;
	let sequence = 0;
	const next = (part: number | null): string => {
		const ms = now();
		const tail = randomBytes(9);
		if (ms > lastMs) {
			lastMs = ms;
			sequence = tail[8] ?? 0;
		} else if (sequence === MAX_SEQUENCE) {
			lastMs += 1;
			sequence = 0;
		} else {
			sequence += 1;
		}
		if (part !== null) tail[PART_BYTE] = part;
		return formatUuidV7(lastMs, sequence, tail.subarray(0, 8));
	};
	return { next: () => next(null), nextIn: next };
}

/**
 * The position of the byte after the variant. In ids of agents, tasks and everything in a task, it is the number of their part. In other
 * ids, it is random.
 */
const PART_BYTE = 1;

/**
 * Returns the number of the part of the directory that has the card of an agent, of a task, or of anything in a task. The number is a byte
 * of the id, so it stays the same when parts are added.
 */
export function partOf(id: string): number {
	const part = Number.parseInt(id.slice(21, 23), 16);
	return Number.isNaN(part) ? FIRST_PART : part;
}

/** @param tail Eight bytes, in which this function sets the two bits of the variant. */
function formatUuidV7(ms: number, sequence: number, tail: Uint8Array): string {
	tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
	const time = ms.toString(16).padStart(12, "0");
	const rest = tail.toHex();
	return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, "0")}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}

/** Returns when a UUIDv7 was generated, in milliseconds since the epoch. */
export function timeOfId(id: string): number {
	return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Returns the smallest UUIDv7 of an instant, given in milliseconds since the epoch. Ids from earlier instants are smaller. */
export function idFloorAt(ms: number): string {
	return formatUuidV7(ms, 0, new Uint8Array(8));
}
