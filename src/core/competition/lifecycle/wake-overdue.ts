// A watchdog for alarms. Tasks end, and webhooks send, when their own alarm fires. This sweep finds alarms that the runtime has lost.
import { MINUTE_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { settleTask } from "./settle.ts";
import { type Overdue, selectOverdue } from "./store.ts";

/** An alarm that is this late counts as lost. */
const LATE_MS = 10 * MINUTE_MS;
const CALLS_PER_RUN = 100;

const settleOverdueTask = taskVerb("settleOverdueTask", (task, _input: null): void => settleTask(task));

/**
 * Calls the objects of tasks that are open past their deadline, and of webhooks with overdue deliveries. Any call sets the object's alarm
 * again.
 */
export async function wakeOverdue(deps: Deps): Promise<void> {
	const late = await selectOverdue(deps, { before: deps.clock.now() - LATE_MS, limit: CALLS_PER_RUN });
	await Promise.all(late.map((one) => wake(deps, one)));
}

async function wake(deps: Deps, { kind, id }: Overdue): Promise<void> {
	try {
		if (kind === "task") await settleOverdueTask(deps, id, null);
		else await deps.hubs.callSender(id, (sender) => sender.refresh());
	} catch (error) {
		deps.log.error("overdue_not_woken", { kind, id, ...describeError(error) });
	}
}
