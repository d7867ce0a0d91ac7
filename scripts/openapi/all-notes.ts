// The notes on all operations.
import { docsNotes } from "./notes/docs.ts";
import { identityNotes } from "./notes/identity.ts";
import { operatorNotes } from "./notes/operators.ts";
import { posterNotes } from "./notes/poster.ts";
import { signInNotes } from "./notes/sign-in.ts";
import { streamNotes } from "./notes/streams.ts";
import { submissionNotes } from "./notes/submissions.ts";
import { taskNotes } from "./notes/tasks.ts";
import { walletNotes } from "./notes/wallet.ts";
import { webhookNotes } from "./notes/webhooks.ts";
import { workspaceNotes } from "./notes/workspace.ts";
import type { OperationNotes } from "./notes.ts";

export const ALL_NOTES: readonly OperationNotes[] = [
	...identityNotes,
	...walletNotes,
	...operatorNotes,
	...signInNotes,
	...taskNotes,
	...submissionNotes,
	...posterNotes,
	...webhookNotes,
	...streamNotes,
	...workspaceNotes,
	...docsNotes,
];
