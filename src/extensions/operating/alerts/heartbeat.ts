// Nothing inside the platform can notice that all of it has stopped, so an external service raises an alert when these requests stop.
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";

/** A sweep runs every minute. If the last one is older than this, the cron, the queue or its consumer has stopped. */
const MAX_SILENCE_MS = 3 * MINUTE_MS;
const TIMEOUT_MS = 10 * SECOND_MS;

/**
 * Sends a request to `HEARTBEAT_URL` if the object `Watch` responds and a sweep has run recently.
 * Runs in the cron's own invocation, because a stopped queue would not process a message.
 */
export async function sendHeartbeat(deps: Deps): Promise<void> {
	const { heartbeatUrl } = deps.config;
	if (heartbeatUrl === null) return;
	try {
		const sweptAt = await deps.hubs.callWatch((watch) => watch.readLastSweep());
		if (sweptAt === null || deps.clock.now() - sweptAt > MAX_SILENCE_MS) {
			deps.log.error("heartbeat_withheld", { swept_at: sweptAt });
			return;
		}
		const response = await deps.fetch(heartbeatUrl, { method: "GET", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
		await response.body?.cancel();
		if (!response.ok) deps.log.error("heartbeat_not_sent", { status: response.status });
	} catch (error) {
		deps.log.error("heartbeat_not_sent", describeError(error));
	}
}
