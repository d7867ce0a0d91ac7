// Helpers for programs that play clients of the platform.

/** Returns an IP address from a range that is reserved for benchmarks. */
export function randomAddress(): string {
	const part = () => Math.floor(Math.random() * 256);
	return `198.${18 + (part() % 2)}.${part()}.${part()}`;
}

/** Waits until a condition is true. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeoutMs = 15_000): Promise<void> {
	const end = Date.now() + timeoutMs;
	while (!(await condition())) {
		if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}
