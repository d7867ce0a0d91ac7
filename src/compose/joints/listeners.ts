// These extensions get the events of a Task object after each change, once they are stored. They follow the listeners of the core.
import { notifyFromTask } from "../../extensions/inbox/notify.ts";
import { cardAsker } from "../../extensions/questions/store.ts";
import type { TaskListener } from "../../ports/joints.ts";

export const LISTENERS: readonly TaskListener[] = [
	{ name: "askers", listen: cardAsker },
	{ name: "inboxes", listen: notifyFromTask },
];
