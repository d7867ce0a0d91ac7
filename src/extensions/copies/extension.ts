import { extension } from "../../ports/extension.ts";
import { restoreTaskCopy } from "./restore-task-copy.ts";
import { restoreWorkspaceCopy } from "./restore-workspace-copy.ts";

export const copies = extension({
	name: "copies",
	purpose: "Tasks and workspaces copy themselves to the bucket, and operators can restore them after a loss.",
	requires: ["operating"],
	words: ["copyPrefix"],
	endpoints: {
		restoreTaskCopy,
		restoreWorkspaceCopy,
	},
});
