// Work that a request leaves behind, begun when its response is on its way.
import { systemClock } from "../platform/clock.ts";
import type { Deps } from "../ports/deps.ts";

/** Enough for the response to leave. */
const HEAD_START_MS = 10;

/** Begins work a moment later, because a runtime with one thread, as on your machine, does the work before it sends the response. */
export function afterResponse({ background }: Pick<Deps, "background">, work: () => Promise<unknown>): void {
	background(new Promise<void>((resolve) => systemClock.after(HEAD_START_MS, resolve)).then(work));
}
