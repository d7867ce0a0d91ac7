import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";

const SHORTEST_MS = 15 * SECOND_MS;
const LONGEST_MS = 5 * MINUTE_MS;

/**
 * Returns how long a task waits before it sends cards and events again: 50 to 100 % of the time that they have been waiting, which counts
 * as at least 15 seconds and at most 5 minutes. It is random, so that thousands of tasks do not call all at once after an outage.
 */
export function resendPause({ owedForMs, random }: { readonly owedForMs: number; readonly random: number }): number {
	const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, owedForMs));
	return Math.round(pause * (0.5 + random / 2));
}
