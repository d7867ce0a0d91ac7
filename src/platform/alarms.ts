import { MINUTE_MS, systemClock } from "./clock.ts";
import { consoleLog, describeError } from "./log.ts";

const AGAIN_MS = 5 * MINUTE_MS;

/**
 * Runs what an alarm of a Durable Object has to do. If this throws, sets the alarm again for five minutes later, because the runtime would
 * retry only six times and then drop the alarm.
 */
export async function keepAlarm(
	storage: Pick<DurableObjectStorage, "setAlarm">,
	failure: string,
	work: () => Promise<void>,
): Promise<void> {
	try {
		await work();
	} catch (error) {
		consoleLog.error(failure, describeError(error));
		await storage.setAlarm(systemClock.now() + AGAIN_MS);
	}
}
