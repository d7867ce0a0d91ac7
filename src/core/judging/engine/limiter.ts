// Decides which calls start now and which wait for others.

/** Runs work as soon as fewer than `limit` other calls are running, in the order of the calls. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export function createLimiter(limit: number): Limiter {
	let running = 0;
	const waiting: (() => void)[] = [];
	return async (work) => {
		if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
		else running += 1;
		try {
			return await work();
		} finally {
			// The place goes directly to the next call in the queue, so no other call can take it.
			const next = waiting.shift();
			if (next === undefined) running -= 1;
			else next();
		}
	};
}

/**
 * Runs work with the same key one by one until the first success. From then on, the supplier's cache has the beginning that the calls
 * share, so the rest runs in parallel.
 */
export type FirstAlone = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createFirstAlone(): FirstAlone {
	const isWarm = new Set<string>();
	const first = new Map<string, Promise<unknown>>();
	return async (key, work) => {
		while (!isWarm.has(key)) {
			const running = first.get(key);
			if (running !== undefined) {
				await running;
				continue;
			}
			const result = work();
			const settled = result.then(
				() => isWarm.add(key),
				() => {},
			);
			first.set(
				key,
				settled.finally(() => first.delete(key)),
			);
			return result;
		}
		return work();
	};
}
