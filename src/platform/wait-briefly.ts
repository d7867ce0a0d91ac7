import { type Clock, SECOND_MS } from "./clock.ts";

const PATIENCE_MS = SECOND_MS;

interface Waiting {
	readonly clock: Clock;
	background(work: Promise<unknown>): void;
}

/** Waits for a promise, at most a second. After that, the work behind it continues in the background. The promise must not reject. */
export async function waitBriefly({ clock, background }: Waiting, work: Promise<void>): Promise<void> {
	const { promise: hasWaited, resolve: stopWaiting } = Promise.withResolvers<void>();
	const cancel = clock.after(PATIENCE_MS, stopWaiting);
	background(work);
	await Promise.race([work, hasWaited]);
	cancel();
}
