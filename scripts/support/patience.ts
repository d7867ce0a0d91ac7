// Helpers for programs that play clients of the platform.
import { setTimeout as delay } from "node:timers/promises";

/** Returns an IP address from a range that is reserved for benchmarks. */
export function randomAddress(): string {
	const part = () => Math.floor(Math.random() * 256);
	return `198.${18 + (part() % 2)}.${part()}.${part()}`;
}

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;
/** How long a pause lasts, as a fraction of the time that has passed so far. */
const PAUSE_PART = 1 / 20;

/**
 * Waits until a condition is true. The pauses grow, because most conditions send a request to the platform, and some become true only after
 * minutes.
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeoutMs = 15_000): Promise<void> {
	const start = Date.now();
	while (!(await condition())) {
		const waitedMs = Date.now() - start;
		if (waitedMs > timeoutMs) throw new Error(`Waited in vain for ${what}.`);
		await delay(Math.min(Math.max(waitedMs * PAUSE_PART, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
	}
}
