import { extension } from "../../ports/extension.ts";
import { restoreTaskCopy } from "./restore-task-copy.ts";

export const copies = extension({
	name: "copies",
	purpose: "Tasks and workspaces copy themselves to the bucket, and operators restore one that was lost.",
	requires: ["operating"],
	words: ["copyPrefix"],
	endpoints: {
		restoreTaskCopy,
	},
});
