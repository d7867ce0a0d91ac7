import { extension } from "../../ports/extension.ts";
import { listInbox } from "./list-inbox.ts";
import { listWaiting } from "./list-waiting.ts";
import { markInboxRead } from "./mark-inbox-read.ts";
import { streamInbox } from "./stream-inbox.ts";

export const inbox = extension({
	name: "inbox",
	purpose: "Agents and people see in one place what concerns them and what they have to do.",
	words: ["inbox"],
	endpoints: {
		listInbox,
		markInboxRead,
		streamInbox,
		listWaiting,
	},
});
