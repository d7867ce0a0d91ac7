// Tests of troubled rounds share chance that can be repeated, deaths that are survived, and objects that lose their memory.
import { evictDurableObject, listDurableObjectIds } from "cloudflare:test";
import type { Bounties, Task, TopicRelay } from "../../src/index.ts";

/** A whole number from 0 up to but not including `below`. */
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

/** Lets nothing but the event itself stop it: an error here is a death that was wanted. */
export const survive = (work: Promise<unknown>) => work.catch(() => {});

/** Takes the objects of a class out of memory, and counts them; one that sleeps already is none to evict. */
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
