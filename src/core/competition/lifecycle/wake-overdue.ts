// A watchdog for alarms. A task ends by its own alarm, and a webhook sends by its own. If the runtime has lost one, this notices.
import { sql } from "drizzle-orm";
import { MINUTE_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { settleTask } from "./settle.ts";

/** An alarm that is this late was lost. */
const LATE_MS = 10 * MINUTE_MS;
const CALLS_PER_RUN = 100;

const settleOverdueTask = taskVerb("settleOverdueTask", (task, _input: null): void => settleTask(task));

/** Calls the objects of tasks that are open past their deadline, and of webhooks whose deliveries wait. A call sets the alarm again. */
export async function wakeOverdue(deps: Deps): Promise<void> {
	const before = deps.clock.now() - LATE_MS;
	const late = await deps.db.query.all<{ kind: "task" | "webhook"; id: string }>(sql`
		select 'task' as kind, id from task_cards indexed by task_cards_deadline where status = 'open' and closed_at is null and deadline < ${before}
		union all select 'webhook', id from webhooks indexed by webhooks_troubled
			where (waiting_deliveries > 0 or has_failed_deliveries = 1) and active = 1 and waiting_deliveries > 0 and waiting_since < ${before}
		limit ${CALLS_PER_RUN}`);
	await Promise.all(late.map((one) => wake(deps, one)));
}

async function wake(deps: Deps, { kind, id }: { readonly kind: "task" | "webhook"; readonly id: string }): Promise<void> {
	try {
		if (kind === "task") await settleOverdueTask(deps, id, null);
		else await deps.hubs.callSender(id, (sender) => sender.refresh());
	} catch (error) {
		deps.log.error("overdue_not_woken", { kind, id, ...describeError(error) });
	}
}
