// The stream of new tasks: every publication is added to the log of the object `Bounties`, which its watchers follow.
import { tasks } from "../../../db/task/schema/task.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { viewTask } from "../../tasks/views.ts";

/** A listener of the outbox. A task that is hidden by now has a place in the log and no data. */
export async function publishBounty(task: TaskStore, deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "task.opened" && event.type !== "task.updated") return null;
	const row = task.db.select().from(tasks).get();
	// A draft that was deleted.
	if (row === undefined) return null;
	if (event.type === "task.opened") {
		await deps.hubs.addBounty({ taskId: task.id, data: row.hidden ? null : JSON.stringify(viewTask(row)) });
	} else if (row.hidden) {
		await deps.hubs.hideBounty(task.id);
	}
	return null;
}
