// Bounds what runs at once, across all criteria and samples of an evaluation.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";

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

/**
 * Returns the results in the order of the items. The first fault is thrown when all have ended. It aborts the rest, unless it costs
 * no attempt, because then what is under way is worth keeping.
 */
export async function untilFirstFault<Item, Result>(
	items: readonly Item[],
	work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
	const controller = new AbortController();
	const faults: unknown[] = [];
	const results = await Promise.all(
		items.map(async (item) => {
			try {
				return [await work(item, controller.signal)];
			} catch (error) {
				faults.push(error);
				if (!(error instanceof EvaluationFault) || error.costsAttempt) controller.abort();
				return [];
			}
		}),
	);
	if (faults.length > 0) throw faults.find(isFinal) ?? faults[0];
	return results.flat();
}

function isFinal(fault: unknown): boolean {
	return fault instanceof EvaluationFault && !fault.isRetryable;
}

/** Makes a signal that fires with the first of several. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
