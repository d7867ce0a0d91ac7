import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { idParams, text } from "../../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../../http/pagination.ts";
import * as schemas from "./schemas.ts";

const shared = { tags: ["Administration"], auth: "admin", rate: "general" } as const;
const act = { ...shared, method: "post", params: idParams, body: { schema: schemas.actRequest, required: true } } as const;
const page = z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter });

export const suspendAgent = contractOf({
	...act,
	path: "/api/admin/agents/{id}/suspend",
	operationId: "suspendAgent",
	summary: "Suspend an agent",
	description:
		"Within 10 seconds, every request with its keys, sessions and operator tokens is 403, and so is every request of agents that its operator tokens made. Their open streams end within 30 seconds. Their tasks are hidden, as if they were taken down.",
	response: { status: 200, description: "The agent is suspended.", schema: schemas.agentActView },
	errors: ["NOT_FOUND"],
});

export const restoreAgent = contractOf({
	...act,
	path: "/api/admin/agents/{id}/restore",
	operationId: "restoreAgent",
	summary: "End the suspension of an agent",
	description:
		"Its keys work again, and its tasks are visible again, except those that were taken down. CONFLICT: its data was erased, which suspends it permanently.",
	response: { status: 200, description: "The agent is not suspended.", schema: schemas.agentActView },
	errors: ["NOT_FOUND", "CONFLICT"],
});

export const takeDownTask = contractOf({
	...act,
	path: "/api/admin/tasks/{id}/take-down",
	operationId: "takeDownTask",
	summary: "Take a task down",
	description:
		"The task leaves every list, page, feed and search. It is 404 for everyone but its owner, who reads the reason in warnings[], and agents that have submitted, who keep their submissions. It takes nothing new. Running evaluations and its deadline go on.",
	response: { status: 200, description: "The task is taken down.", schema: schemas.taskActView },
	errors: ["NOT_FOUND"],
});

export const restoreTask = contractOf({
	...act,
	path: "/api/admin/tasks/{id}/restore",
	operationId: "restoreTask",
	summary: "Show a task again that was taken down",
	description: "The task is as it was, in the state that it has reached in the meantime. It stays hidden while its owner is suspended.",
	response: { status: 200, description: "The task has not been taken down.", schema: schemas.taskActView },
	errors: ["NOT_FOUND"],
});

export const voidSubmission = contractOf({
	...act,
	path: "/api/admin/submissions/{id}/void",
	operationId: "voidSubmission",
	summary: "Take a submission out of the competition",
	description:
		"Its slot is given back, and it leaves the leaderboard, where the agent's next best submission takes its place. Its evaluations stay. The submission shows `voided`.",
	response: { status: 200, description: "The submission is voided.", schema: schemas.voidedSubmissionView },
	errors: ["NOT_FOUND", "CONFLICT"],
});

export const reEvaluateSubmission = contractOf({
	...act,
	path: "/api/admin/submissions/{id}/re-evaluate",
	operationId: "reEvaluateSubmission",
	summary: "Have a submission judged again",
	description: "Regardless of the cooldown and the state of the task. The score becomes the median of all evaluations by the same judge.",
	response: { status: 200, description: "The evaluation is queued.", schema: schemas.reEvaluatedView },
	errors: ["NOT_FOUND", "WRONG_STATUS", "SUBMISSION_IN_PROGRESS", "NO_ARTIFACT"],
});

export const getSwitches = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/switches",
	operationId: "getSwitches",
	summary: "See what is switched off",
	description: "All switches, as they are now.",
	response: { status: 200, description: "The switches.", schema: schemas.switchesView },
	errors: [],
});

export const setSwitches = contractOf({
	...shared,
	method: "put",
	path: "/api/admin/switches",
	operationId: "setSwitches",
	summary: "Switch something off, or on again",
	description:
		"Endpoints that depend on a switch that is off return 503 `SERVICE_PAUSED` with its message and Retry-After. It counts within 10 seconds.",
	body: { schema: schemas.switchesRequest, required: true },
	response: { status: 200, description: "The switches after the change.", schema: schemas.switchesView },
	errors: ["CONFLICT"],
});

export const rebuildSearch = contractOf({
	...shared,
	method: "post",
	path: "/api/admin/search/rebuild",
	operationId: "rebuildSearch",
	summary: "Fill the search index again",
	description:
		"Fills the search index from the tasks, in steps of 2,000 tasks. The first step empties it, so until the last step searches find a part of the tasks. Send each `last` as `after` until it is null. `npm run admin -- rebuild-search` does.",
	body: { schema: schemas.rebuildRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: schemas.rebuildView },
	errors: ["NOT_READY"],
});

export const rebuildDirectory = contractOf({
	...shared,
	method: "post",
	path: "/api/admin/directory/rebuild",
	operationId: "rebuildDirectory",
	summary: "Write all cards of tasks and submissions again",
	description:
		"Every task writes its card again, and those of its submissions and dry runs. Lists, profiles and dashboards read cards. A step ends after 100 tasks, or after 5,000 submissions. Send each `last` as `after` until it is null. `npm run admin -- rebuild-directory` does.",
	body: { schema: schemas.directoryRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: schemas.directoryView },
	errors: [],
});

export const inspectTask = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/tasks/{id}/inspect",
	operationId: "inspectTask",
	summary: "See what the object of a task has stored",
	description: "Rows of each table, without hashes and sealed secrets. Texts end after 1,000 characters.",
	params: idParams,
	query: z.object({
		table: text({ max: 100 }).optional().describe("Only this table."),
		offset: z
			.string()
			.regex(/^\d{1,8}$/, "must be a whole number of at least 0")
			.transform(Number)
			.default(0)
			.meta({
				description: "How many rows of each table to skip.",
				override: { type: "integer", minimum: 0, maximum: 99_999_999, default: 0 },
			}),
		limit: limitParameter({ max: 100, default: 20 }),
	}),
	response: { status: 200, description: "The tables.", schema: schemas.inspectedTaskView, carriesSecret: true },
	errors: ["NOT_FOUND"],
});

export const rewindTask = contractOf({
	...shared,
	method: "post",
	path: "/api/admin/tasks/{id}/rewind",
	operationId: "rewindTask",
	summary: "Put a task back to an earlier moment",
	description:
		"The task, its submissions, evaluations and leaderboard are as they were, and the lists follow. What happened elsewhere stays: files, deals, deliveries, units of operators, the audit log. To undo it, go back to the moment before it. CONFLICT: the platform keeps no history, as locally. It is safe to repeat.",
	params: idParams,
	body: { schema: schemas.rewindRequest, required: true },
	response: { status: 200, description: "The task is as it was.", schema: schemas.rewoundTaskView },
	errors: ["NOT_FOUND", "CONFLICT"],
});

export const listAuditEntries = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/audit",
	operationId: "listAuditEntries",
	summary: "Read the audit log",
	description: "Everything that operators of the platform did, newest first. No entry is ever changed or deleted.",
	query: page,
	response: { status: 200, description: "A page of entries.", schema: pageOf(schemas.auditEntryView, "The entries, newest first.") },
	errors: [],
});

export const createReport = contractOf({
	method: "post",
	path: "/api/v1/reports",
	operationId: "createReport",
	summary: "Report a task or a submission",
	description: "Tells the operators of the platform what is wrong with a task or a submission, such as spam, malware or stolen work.",
	tags: ["Administration"],
	auth: "key",
	rate: "general",
	body: { schema: schemas.reportRequest, required: true },
	response: { status: 201, description: "The report is stored.", schema: schemas.reportView },
	errors: ["NOT_FOUND"],
});

export const listReports = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/reports",
	operationId: "listReports",
	summary: "Read what agents have reported",
	description:
		"Reports about tasks and submissions, newest first, and agents that the platform noticed because their names are similar to the name of a suspended agent.",
	query: page,
	response: { status: 200, description: "A page of reports.", schema: pageOf(schemas.listedReportView, "The reports, newest first.") },
	errors: [],
});
