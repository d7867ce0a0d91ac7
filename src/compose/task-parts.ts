// The parts of a Task object in addition to its verbs: the duties of its alarm, and the functions that follow its changes. Verbs need no
// list, because `taskVerb` registers them.
import { endOutsideWaits, superviseJobs } from "../core/competition/evaluation/loop.ts";
import { sendMessages } from "../core/competition/evaluation/messages.ts";
import { CORE_HOLDINGS } from "../core/competition/holdings/core-holdings.ts";
import { settleWhenDue } from "../core/competition/lifecycle/settle.ts";
import { keepIndexed } from "../core/competition/search/index-task.ts";
import { collectObjects, deleteObjects } from "../core/competition/tasks/stored-objects.ts";
import { createPublisher, endStreams, publishBounty } from "../core/events/streams/publisher.ts";
import { fanOutFromTask } from "../core/events/webhooks/fan-out.ts";
import { forgetReplies } from "../db/task/replies.ts";
import type { Holding, TaskListener, WorkingDuty } from "../ports/joints.ts";
import type { TaskJoints } from "../ports/task.ts";
import type { TaskParts } from "./task-runtime.ts";

/** Combines the parts of the core with those of the joints. */
export function makeTaskParts({
	listeners,
	duties,
	holdings: added,
	...joints
}: Omit<TaskJoints, "holdings"> & {
	readonly listeners: readonly TaskListener[];
	readonly duties: readonly WorkingDuty[];
	readonly holdings: readonly Holding[];
}): TaskParts {
	// Extensions come first, because they find their rows through what the core erases.
	const holdings = [...added, ...CORE_HOLDINGS];
	return {
		joints: { ...joints, holdings },
		holdings,
		createFollowers: () => [sendMessages, createPublisher()],
		listeners: [
			{ name: "bounties", listen: publishBounty },
			{ name: "streams", listen: endStreams },
			{ name: "webhooks", listen: fanOutFromTask },
			...listeners,
		],
		duties: [settleWhenDue, collectObjects, forgetReplies, superviseJobs, endOutsideWaits, keepIndexed, ...duties],
		deleteStored: deleteObjects,
	};
}
