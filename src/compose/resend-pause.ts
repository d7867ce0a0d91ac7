import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";

const SHORTEST_MS = 15 * SECOND_MS;
const LONGEST_MS = 5 * MINUTE_MS;

/**
 * Returns how long a task waits before it sends cards and events again. The pause is as long as they have already been waiting, so the
 * waiting time roughly doubles with each attempt. Half of the pause is random, so that thousands of tasks do not all call the directory at
 * the same time after an outage.
 */
export function resendPause({ owedForMs, random }: { readonly owedForMs: number; readonly random: number }): number {
	const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, owedForMs));
	return Math.round(pause * (0.5 + random / 2));
}
