// Helpers of programs that play clients of the platform.
import { setTimeout as delay } from "node:timers/promises";

/** Returns an IP address from a range that is reserved for benchmarks. */
export function randomAddress(): string {
	const part = () => Math.floor(Math.random() * 256);
	return `198.${18 + (part() % 2)}.${part()}.${part()}`;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;

/** Waits until a condition holds. The pauses grow, because most conditions ask the platform and hold after seconds. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeoutMs = 15_000): Promise<void> {
	const end = Date.now() + timeoutMs;
	for (let pauseMs = FIRST_PAUSE_MS; !(await condition()); pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
		if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`);
		await delay(pauseMs);
	}
}
