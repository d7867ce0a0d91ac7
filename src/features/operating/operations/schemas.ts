// Schemas of the contract, which would be too long with them.
import * as z from "zod";
import { agentId, count, submissionId, taskId, text, timestamp } from "../../../http/fields.ts";
import { reason } from "../admin/schemas.ts";

export const JOB_KINDS = ["evaluation", "delivery", "grader_run"] as const;
export const JOB_STATES = ["waiting", "running", "stuck", "failed"] as const;

export const jobState = z
	.enum(JOB_STATES)
	.describe(
		"`waiting`: it is queued or backs off. `running`: it is being worked on, or an outside judge or a grader works for it. `stuck`: its message or its worker was lost; the next sweep repeats it within a minute. `failed`: it has ended without success.",
	);

const jobId = z.string().describe("The job's id.");
export const jobParams = z.object({ id: text({ min: 1, max: 100 }).describe("The job's id, as the list returned it.") });

export const jobView = z
	.object({
		id: jobId,
		kind: z
			.enum(JOB_KINDS)
			.describe("`evaluation` of a submission, `delivery` of an event to a webhook, or `grader_run` of an image in a grader."),
		state: jobState,
		submission_id: submissionId.nullable().describe("The submission that it is about. Null for a delivery."),
		webhook_id: z.uuid().nullable().describe("The webhook that it is about. Null unless it is a delivery."),
		task_id: taskId.nullable().describe("The task that it is about. Null for a delivery."),
		attempts: count.describe("How often it was tried."),
		since: timestamp.describe("When it was created, or, if it failed, when it ended."),
		last_error: z.string().nullable().describe("Why the last attempt failed, or what it waits for. Null without a fault."),
	})
	.meta({ id: "Job", description: "Work in the background." });

export const retriedJobView = z
	.object({
		id: jobId,
		job_id: z.string().describe("The job that is due now: the same, or a new one in place of a failed one."),
		audit_id: z.uuid().describe("The id of the entry in the audit log."),
	})
	.meta({ id: "RetriedJob", description: "A job that is tried again." });

const usageFields = {
	input_tokens: count.describe("Tokens that the models read."),
	output_tokens: count.describe("Tokens that the models wrote."),
	cost_usd: z
		.number()
		.min(0)
		.nullable()
		.describe("What the requests cost, in US dollars. Counts only models whose price is configured. Null if no price is."),
};

const ceilingView = z
	.object({
		tokens: count.nullable().describe("Tokens, read and written together. Null without a ceiling."),
		usd: z.number().min(0).nullable().describe("US dollars. Null without a ceiling."),
	})
	.meta({ id: "SpendCeiling", description: "What judging may use at most." });

const ceilingsView = z
	.object({
		task: ceilingView.describe("For all evaluations of a task."),
		task_budget_percent: z.number().nullable().describe("What judging a task may cost, in percent of its budget. Null without a ceiling."),
		poster_day: ceilingView.describe("For all tasks of a poster, in a UTC day."),
		deployment_day: ceilingView.describe("For the whole deployment, in a UTC day."),
	})
	.describe("The ceilings as they are now: as configured, or as operators have set them.");

const asConfigured = z.literal("configured");
const HOW = "Null removes the ceiling, and `configured` sets it as the configuration has it.";
const ceilingInput = z.object({
	tokens: z
		.number()
		.int()
		.min(1)
		.max(1_000_000_000_000)
		.nullable()
		.or(asConfigured)
		.optional()
		.describe(`Tokens, read and written together. ${HOW}`),
	usd: z.number().min(0.01).max(1_000_000_000).nullable().or(asConfigured).optional().describe(`US dollars. ${HOW}`),
});

const CEILING_FIELDS = ["task", "task_budget_percent", "poster_day", "deployment_day"] as const;

export const ceilingsRequest = z
	.object({
		task: ceilingInput.optional().describe("For all evaluations of a task."),
		task_budget_percent: z
			.number()
			.min(0.01)
			.max(100)
			.nullable()
			.or(asConfigured)
			.optional()
			.describe(`What judging a task may cost, in percent of its budget. ${HOW}`),
		poster_day: ceilingInput.optional().describe("For all tasks of a poster, in a UTC day."),
		deployment_day: ceilingInput.optional().describe("For the whole deployment, in a UTC day."),
		reason,
	})
	.refine((body) => CEILING_FIELDS.some((name) => body[name] !== undefined), { path: [], message: "name at least one ceiling" })
	.meta({
		id: "CeilingsRequest",
		description: "The ceilings to set. Those that you leave out stay as they are.",
		adds: { anyOf: CEILING_FIELDS.map((name) => ({ required: [name] })) },
	});

export const ceilingsSetView = z
	.object({ ceilings: ceilingsView, audit_id: z.uuid().describe("The id of the entry in the audit log.") })
	.meta({ id: "CeilingsSet", description: "The ceilings after a change." });

export const spendView = z
	.object({
		days: z
			.array(
				z.object({
					day: z.iso.date().describe("The day, in UTC."),
					evaluations: count.describe("Evaluations that ended with a score."),
					...usageFields,
				}),
			)
			.describe("The last 30 days that have evaluations or usage, newest first."),
		tasks: z.array(z.object({ task_id: taskId, ...usageFields })).describe("The tasks whose judging has used most so far, at most 100."),
		posters: z
			.array(z.object({ agent_id: agentId, ...usageFields }))
			.describe("The posters whose tasks have used most in these days, at most 100."),
		ceilings: ceilingsView,
	})
	.meta({ id: "Spend", description: "What judging has used, and may use." });

export const metricsView = z
	.object({
		queue_age_seconds: z.number().min(0).describe("How long the oldest evaluation has waited that no consumer has looked at."),
		waiting: count.describe("Evaluations that are not being worked on now."),
		running: count.describe("Evaluations that are being worked on now."),
		failed: z.record(z.string(), count).describe("Evaluations that failed within the last 24 hours, by class: who or what was at fault."),
		delivery_backlog: count.describe("Webhook deliveries that have waited for half a minute or longer."),
		delivery_age_seconds: z.number().min(0).describe("How long the oldest of them has waited."),
		outbox_backlog: count.describe("Events that were not sent on yet."),
		d1_size_bytes: count.describe("Size of the database."),
		watchers: count.describe("Open streams. The number may lag by some seconds."),
	})
	.meta({ id: "Metrics", description: "How busy the platform is." });

const check = z.enum(["ok", "failed"]);

export const readinessView = z
	.object({
		status: z.literal("ready").describe("Always `ready`. Otherwise the response is 503."),
		checks: z
			.object({
				d1: check.describe("Whether the database answers."),
				r2: check.describe("Whether the bucket answers."),
				queue: check.describe("Whether evaluations are picked up in time. Paused judging does not count."),
				migrations: check.describe("Whether the database has every migration of this version."),
			})
			.describe("What was checked."),
	})
	.meta({ id: "Readiness", description: "Whether the service can do its work." });
