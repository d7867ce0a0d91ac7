// The extensions that receive the events of a stored change, after the core's listeners.
import { notifyFromTask, notifyOfDeal } from "../../extensions/inbox/notify.ts";
import { cardAsker } from "../../extensions/questions/store.ts";
import { writeScoreToDeal } from "../../extensions/reviews/store.ts";
import type { EventListener } from "../../ports/deps.ts";
import type { TaskListener } from "../../ports/joints.ts";

/** Events of a Task object. */
export const TASK_LISTENERS: readonly TaskListener[] = [
	{ name: "askers", listen: cardAsker },
	{ name: "inboxes", listen: notifyFromTask },
	{ name: "deal_scores", listen: writeScoreToDeal },
];

/** Events of the directory, all of which are about deals. */
export const DIRECTORY_LISTENERS: readonly EventListener[] = [notifyOfDeal];
