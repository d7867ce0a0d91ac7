import { MINUTE_MS, systemClock } from "./clock.ts";
import { consoleLog, describeError } from "./log.ts";

const AGAIN_MS = 5 * MINUTE_MS;

/**
 * Runs the work of an alarm. If it throws, sets the alarm again in five minutes, because the runtime only retries six times and then drops
 * the alarm.
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
