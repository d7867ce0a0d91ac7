import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";

const SHORTEST_MS = 15 * SECOND_MS;
const LONGEST_MS = 5 * MINUTE_MS;

/**
 * Returns how long a task waits before it sends cards and events again. The pause is about as long as they have already been waiting, but
 * at most 5 minutes. Half of it is random, so that after an outage, thousands of tasks do not all call the directory at once.
 */
export function resendPause({ owedForMs, random }: { readonly owedForMs: number; readonly random: number }): number {
	const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, owedForMs));
	return Math.round(pause * (0.5 + random / 2));
}
