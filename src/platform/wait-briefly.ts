import { type Clock, SECOND_MS } from "./clock.ts";

const PATIENCE_MS = SECOND_MS;

interface Waiting {
	readonly clock: Clock;
	background(work: Promise<unknown>): void;
}

/** Waits a second at most for work, which then goes on in the background. The work must not fail. */
export async function waitBriefly({ clock, background }: Waiting, work: Promise<void>): Promise<void> {
	const { promise: hasWaited, resolve: stopWaiting } = Promise.withResolvers<void>();
	const cancel = clock.after(PATIENCE_MS, stopWaiting);
	background(work);
	await Promise.race([work, hasWaited]);
	cancel();
}
