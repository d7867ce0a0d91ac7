// Responses with 5xx are counted in D1, because an isolate sees only its own requests.
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import { countServerErrors } from "./store.ts";

/** An isolate writes at most this often, so that an outage does not add load. */
const WRITE_EVERY_MS = 10 * SECOND_MS;

/** Returns a function that counts one response with 5xx. Each isolate has one. */
export function createErrorCounter(): (deps: Deps) => void {
	let unwritten = 0;
	let writtenAt = 0;
	return (deps) => {
		const now = deps.clock.now();
		unwritten += 1;
		if (now - writtenAt < WRITE_EVERY_MS) return;
		const errors = unwritten;
		unwritten = 0;
		writtenAt = now;
		deps.background(countServerErrors(deps, Math.floor(now / MINUTE_MS), errors));
	};
}
