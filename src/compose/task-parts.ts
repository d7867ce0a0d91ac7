// A Task object has these parts besides its verbs: the duties of its alarm, and the functions that follow its changes. Verbs need no list,
// because `taskVerb` declares them.
import { forgetReplies } from "../db/task/replies.ts";
import { superviseJobs } from "../features/competition/evaluation/loop.ts";
import { sendMessages } from "../features/competition/evaluation/messages.ts";
import { settleWhenDue } from "../features/competition/lifecycle/settle.ts";
import { cardAsker } from "../features/competition/questions/ask-question.ts";
import { keepIndexed } from "../features/competition/search/index-task.ts";
import { collectObjects, deleteObjects } from "../features/competition/tasks/stored-objects.ts";
import { notifyFromTask } from "../features/events/inbox/notify.ts";
import { createPublisher, endStreams, publishBounty } from "../features/events/streams/publisher.ts";
import { fanOutFromTask } from "../features/events/webhooks/fan-out.ts";
import type { TaskParts } from "./task-runtime.ts";

export const TASK_PARTS: TaskParts = {
	createFollowers: () => [sendMessages, createPublisher()],
	listeners: [
		{ name: "askers", listen: cardAsker },
		{ name: "bounties", listen: publishBounty },
		{ name: "streams", listen: endStreams },
		{ name: "webhooks", listen: fanOutFromTask },
		{ name: "inboxes", listen: notifyFromTask },
	],
	duties: [settleWhenDue, collectObjects, forgetReplies, superviseJobs, keepIndexed],
	deleteStored: deleteObjects,
};
