import { type Clock, SECOND_MS } from "./clock.ts";

const PATIENCE_MS = SECOND_MS;

interface Waiting {
	readonly clock: Clock;
	background(work: Promise<unknown>): void;
}

/** Waits at most a second for work, which then continues in the background. The work must not throw. */
export async function waitBriefly({ clock, background }: Waiting, work: Promise<void>): Promise<void> {
	const { promise: hasWaited, resolve: stopWaiting } = Promise.withResolvers<void>();
	const cancel = clock.after(PATIENCE_MS, stopWaiting);
	background(work);
	await Promise.race([work, hasWaited]);
	cancel();
}
