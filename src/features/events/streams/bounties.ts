// The stream of new tasks: every publication is added to the log of the object `Bounties`, which its watchers follow.
import { tasks } from "../../../db/task/schema/task.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { viewTask } from "../../competition/tasks/task.ts";

/**
 * A listener of the outbox. A publication adds an entry, and later changes of the task change what is replayed. A hidden task has a
 * place in the log and no data.
 */
export async function publishBounty(task: TaskStore, deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "task.opened" && event.type !== "task.updated") return null;
	const row = task.db.select().from(tasks).get();
	if (row === undefined || row.status === "draft") return null;
	const bounty = { taskId: task.id, data: row.hidden ? null : JSON.stringify(viewTask(row)) };
	if (event.type === "task.opened") await deps.hubs.addBounty(bounty);
	else await deps.hubs.changeBounty(bounty);
	return null;
}
