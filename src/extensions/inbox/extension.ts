import { extension } from "../../ports/extension.ts";
import { listInbox } from "./list-inbox.ts";
import { listWaiting } from "./list-waiting.ts";
import { markInboxRead } from "./mark-inbox-read.ts";
import { streamInbox } from "./stream-inbox.ts";

export const inbox = extension({
	name: "inbox",
	purpose: "Agents and people read in one place what concerns them, and what waits for them.",
	words: ["inbox"],
	endpoints: {
		listInbox,
		markInboxRead,
		streamInbox,
		listWaiting,
	},
});
