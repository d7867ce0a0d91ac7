// A Task object has these parts besides its verbs: the duties of its alarm, and the functions that follow its changes. Verbs need no list,
// because `taskVerb` declares them.

import { superviseJobs } from "../core/competition/evaluation/loop.ts";
import { sendMessages } from "../core/competition/evaluation/messages.ts";
import { settleWhenDue } from "../core/competition/lifecycle/settle.ts";
import { keepIndexed } from "../core/competition/search/index-task.ts";
import { collectObjects, deleteObjects } from "../core/competition/tasks/stored-objects.ts";
import { createPublisher, endStreams, publishBounty } from "../core/events/streams/publisher.ts";
import { fanOutFromTask } from "../core/events/webhooks/fan-out.ts";
import { forgetReplies } from "../db/task/replies.ts";
import { notifyFromTask } from "../extensions/inbox/notify.ts";
import { cardAsker } from "../extensions/questions/ask-question.ts";
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
