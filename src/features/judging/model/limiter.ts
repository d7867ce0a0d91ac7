// Bounds what runs at once, across all criteria and samples of an evaluation.

/** Runs work as soon as fewer than `limit` others are running, in the order it was asked for. */
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
			// The slot goes straight to the next in line, so no other call can take it.
			const next = waiting.shift();
			if (next === undefined) running -= 1;
			else next();
		}
	};
}
