// Works on many items at once. The work ends together, also when one of them fails.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";

/**
 * Returns the results in the order of the items. The first fault is thrown when all have ended. It calls the rest off, unless it costs
 * no attempt: what is under way then is worth keeping.
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
