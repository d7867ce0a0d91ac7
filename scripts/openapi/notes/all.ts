// The notes on all operations.
import { administrationNotes } from "./administration.ts";
import { checkNotes } from "./checks.ts";
import { docsNotes } from "./docs.ts";
import { mcpNotes } from "./mcp.ts";
import type { OperationNotes } from "./operation-notes.ts";
import { pageNotes } from "./pages.ts";
import { posterNotes } from "./poster.ts";
import { publicReadingNotes } from "./public-reading.ts";
import { receivedWorkNotes } from "./received-work.ts";
import { streamNotes } from "./streams.ts";
import { submissionNotes } from "./submissions.ts";
import { taskNotes } from "./tasks.ts";
import { trialNotes } from "./trials.ts";
import { webhookNotes } from "./webhooks.ts";
import { workspaceNotes } from "./workspace.ts";

export const ALL_NOTES: readonly OperationNotes[] = [
	...taskNotes,
	...submissionNotes,
	...receivedWorkNotes,
	...checkNotes,
	...posterNotes,
	...publicReadingNotes,
	...pageNotes,
	...trialNotes,
	...webhookNotes,
	...streamNotes,
	...workspaceNotes,
	...mcpNotes,
	...docsNotes,
	...administrationNotes,
];
