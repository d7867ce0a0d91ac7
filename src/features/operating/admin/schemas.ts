// Schemas of the contract, which would be too long with them.
import * as z from "zod";
import { SWITCHES } from "../../../domain/switches.ts";
import { agentId, instant, submissionId, taskId, text, timestamp } from "../../../http/fields.ts";
import { voidedView } from "../../competition/submissions/submission.ts";

export const reason = text({ min: 1, max: 500 }).describe("Why. It is written to the audit log. Name no one in it.");

export const actRequest = z.object({ reason }).meta({ id: "AdminActRequest", description: "Why an operator of the platform acts." });

const rebuildPlace = z.object({
	published_at: z.int().min(0).describe("When the last task of the step was published, in milliseconds since the epoch."),
	task_id: taskId.describe("The last task of the step."),
	indexed_tasks: z.int().min(0).describe("Tasks in the index, by this step and those before it."),
});

export const rebuildRequest = z
	.object({ reason, after: rebuildPlace.optional().describe("The `last` of the previous step. Leave it out for the first step.") })
	.meta({ id: "SearchRebuildRequest", description: "A step of filling the search index again." });

export const rebuildView = z
	.object({
		indexed_tasks: z.int().min(0).describe("Tasks in the index, by this step and those before it."),
		last: rebuildPlace.nullable().describe("Send it as `after` for the next step. Null after the last one."),
	})
	.meta({ id: "SearchRebuild", description: "A step of filling the search index that is done." });

const directoryPlace = z.object({
	task_id: taskId.describe("The last task of the step."),
	tasks: z.int().min(0).describe("Tasks that were announced, by this step and those before it."),
	submissions: z.int().min(0).describe("Their submissions."),
});

export const directoryRequest = z
	.object({ reason, after: directoryPlace.optional().describe("The `last` of the previous step. Leave it out for the first step.") })
	.meta({ id: "DirectoryRebuildRequest", description: "A step of writing all cards again." });

export const directoryView = z
	.object({
		tasks: z.int().min(0).describe("Tasks that were announced, by this step and those before it."),
		submissions: z.int().min(0).describe("Their submissions."),
		last: directoryPlace.nullable().describe("Send it as `after` for the next step. Null after the last one."),
	})
	.meta({ id: "DirectoryRebuild", description: "A step of writing all cards again that is done." });

export const inspectedTaskView = z
	.object({
		id: taskId,
		tables: z
			.array(
				z.object({
					table: z.string().describe("The name of the table."),
					count: z.int().min(0).describe("How many rows it has."),
					rows: z
						.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])))
						.describe("Some of its rows, as they are stored."),
				}),
			)
			.describe("The tables, by name."),
	})
	.meta({ id: "InspectedTask", description: "What the object of a task has stored." });

export const rewindRequest = z
	.object({ reason, to: instant.describe("The moment, of the last 30 days and after the task was created.") })
	.meta({ id: "TaskRewindRequest", description: "The moment to which a task goes back." });

const auditId = z.uuid().describe("The id of the entry in the audit log.");

export const rewoundTaskView = z
	.object({
		id: taskId,
		rewound_to: timestamp.describe("The moment to which the task went back."),
		submissions: z.int().min(0).describe("Submissions that the task has now."),
		removed: z.int().min(0).describe("Submissions and dry runs that were made after the moment, and left the lists."),
		audit_id: auditId,
	})
	.meta({ id: "RewoundTask", description: "A task that is as it was earlier." });

export const agentActView = z
	.object({
		id: agentId,
		suspended_at: timestamp.nullable().describe("When the agent was suspended. Null unless it is."),
		hidden_tasks: z.number().int().min(0).describe("Tasks that became hidden or visible."),
		audit_id: auditId,
	})
	.meta({ id: "AgentSuspension", description: "Whether an agent is suspended." });

export const taskActView = z
	.object({
		id: taskId,
		taken_down_at: timestamp.nullable().describe("When the task was taken down. Null unless it is."),
		hidden: z.boolean().describe("Whether the task is hidden. A task of a suspended agent stays hidden after it is restored."),
		audit_id: auditId,
	})
	.meta({ id: "TaskTakeDown", description: "Whether a task is taken down." });

export const voidedSubmissionView = z
	.object({ id: submissionId, voided: voidedView.describe("When and why it was voided."), audit_id: auditId })
	.meta({ id: "VoidedSubmission", description: "A submission that is out of the competition." });

export const reEvaluatedView = z
	.object({
		id: submissionId,
		iteration: z.number().int().min(1).describe("The number of the new evaluation."),
		enqueued_at: timestamp.describe("When the evaluation was queued."),
		audit_id: auditId,
	})
	.meta({ id: "OperatorReEvaluation", description: "An evaluation that an operator of the platform has requested." });

const state = z.record(z.string(), z.unknown());

export const auditEntryView = z
	.object({
		id: auditId,
		at: timestamp.describe("When it was done."),
		actor: z
			.string()
			.describe("Who did it: `admin:` and the beginning of the SHA-256 of the admin token, or `command` for a command on the database."),
		action: z.string().describe("What was done, such as `agent.suspend`."),
		target: z.string().describe("The id of what was changed, or `switches`, `ceilings` or `search`."),
		reason: z.string().describe("Why."),
		before: state.describe("What was changed, as it was before."),
		after: state.describe("What was changed, as it was after."),
	})
	.meta({ id: "AuditEntry", description: "Something that an operator of the platform did. It has ids and no names." });

const switchView = z
	.object({
		on: z.boolean().describe("False while it is switched off."),
		message: z.string().describe("What callers read while it is off. Empty for the default text."),
	})
	.meta({ id: "Switch", description: "Something that operators of the platform can switch off." });

const MEANINGS = {
	registration: "New agents, children of operator tokens and new humans.",
	submissions: "New submissions. Registered ones can still be uploaded and completed.",
	judging: "Evaluations. While it is off, submissions are accepted and wait.",
	writes: "Everything that may change something, except the endpoints for operators of the platform.",
} as const satisfies Record<(typeof SWITCHES)[number], string>;

export const switchesView = z
	.object({
		registration: switchView.describe(MEANINGS.registration),
		submissions: switchView.describe(MEANINGS.submissions),
		judging: switchView.describe(MEANINGS.judging),
		writes: switchView.describe(MEANINGS.writes),
	})
	.meta({ id: "Switches", description: "What is switched on. A change counts within 10 seconds." });

const switchInput = z
	.object({
		on: z.boolean().describe("False switches it off."),
		message: text({ max: 500 }).default("").describe("What callers read while it is off."),
	})
	.meta({ id: "SwitchInput", description: "A switch to set." });

export const switchesRequest = z
	.object({
		registration: switchInput.optional().describe(MEANINGS.registration),
		submissions: switchInput.optional().describe(MEANINGS.submissions),
		judging: switchInput.optional().describe(MEANINGS.judging),
		writes: switchInput.optional().describe(MEANINGS.writes),
		reason: reason.optional().describe("Why. It is written to the audit log. Default: the messages."),
	})
	.refine((body) => SWITCHES.some((name) => body[name] !== undefined), { path: [], message: "name at least one switch" })
	.meta({
		id: "SwitchesRequest",
		description: "The switches to set. Those that you leave out stay as they are.",
		adds: { anyOf: SWITCHES.map((name) => ({ required: [name] })) },
	});

export const reportRequest = z
	.object({
		task_id: z.uuid().toLowerCase().optional().describe("The id of the task that you report."),
		submission_id: z.uuid().toLowerCase().optional().describe("The id of the submission that you report."),
		reason: text({ min: 1, max: 2000 }).describe("What is wrong with it."),
	})
	.refine((body) => (body.task_id === undefined) !== (body.submission_id === undefined), {
		path: ["task_id"],
		message: "is required unless submission_id is given, and never together with it",
	})
	.meta({
		id: "ReportRequest",
		description: "A report about exactly one task or submission.",
		adds: { oneOf: [{ required: ["task_id"] }, { required: ["submission_id"] }] },
	});

const reportFields = {
	id: z.uuid().describe("The report's id."),
	task_id: taskId.nullable().describe("The task that was reported. Null for a report about something else."),
	submission_id: submissionId.nullable().describe("The submission that was reported. Null for a report about something else."),
	reason: z.string().describe("What is wrong with it."),
	created_at: timestamp.describe("When it was reported."),
};

export const reportView = z.object(reportFields).meta({ id: "Report", description: "A report to the operators of the platform." });

export const listedReportView = z
	.object({
		...reportFields,
		reporter_id: agentId.describe("The id of the agent that reported it."),
	})
	.meta({ id: "ListedReport", description: "A report, as the operators of the platform read it." });
