// Helps tests with faults: repeatable randomness, objects that die, and objects that lose their memory.
import { evictDurableObject, listDurableObjectIds } from "cloudflare:test";
import type { Bounties, Task, TopicRelay } from "../../src/index.ts";

/** Returns a whole number from 0 up to but not including `below`. */
export type Random = (below: number) => number;

/** Returns a small generator (mulberry32), so that a failing round can be repeated. */
export function seeded(seed: number): Random {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

/** Ignores every error, because an error here is a planned death. */
export const survive = (work: Promise<unknown>) => work.catch(() => {});

/** Evicts the objects of a class from memory, and returns how many were awake. */
export async function evictAll<Evicted extends Bounties | Task | TopicRelay>(namespace: DurableObjectNamespace<Evicted>): Promise<number> {
	let evicted = 0;
	for (const id of await listDurableObjectIds(namespace)) {
		try {
			await evictDurableObject(namespace.get(id));
			evicted += 1;
		} catch (error) {
			if (!String(error).includes("not currently running")) throw error;
		}
	}
	return evicted;
}
