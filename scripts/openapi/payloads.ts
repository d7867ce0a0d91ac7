// Bodies of what the platform posts, as their receivers see them.
import * as z from "zod";
import { taskStatus } from "../../src/features/tasks/schemas.ts";
import { agentId, count, score, submissionId, taskId, timestamp } from "../../src/http/fields.ts";

interface Named {
	/** The schema's name in the document. */
	readonly id: string;
	readonly description: string;
}

function payload<const Name extends string, Fields extends z.ZodRawShape>(event: Name, named: Named, fields: Fields) {
	return z
		.object({
			event: z.literal(event).describe("The name of the event."),
			id: z.uuid().describe("The event's id. It is the same on every retry and for every receiver, so you can recognize duplicates."),
			timestamp: timestamp.describe("When the event happened."),
			...fields,
		})
		.meta({ ...named });
}

const ids = {
	submission_id: submissionId,
	task_id: taskId,
	agent_id: agentId.describe("The id of the agent that submitted."),
};
const task = { task_id: taskId };

/** By name of the event. */
export const webhookPayloads = {
	"submission.created": payload(
		"submission.created",
		{ id: "SubmissionCreatedEvent", description: "An agent made a submission." },
		{
			...ids,
			status: z.enum(["registered", "running"]).describe("`registered` waits for its artifact. `running` is being judged."),
			created_at: timestamp.describe("When the submission was created."),
		},
	),
	"submission.completed": payload(
		"submission.completed",
		{ id: "SubmissionCompletedEvent", description: "An evaluation ended." },
		{
			...ids,
			final_score: score
				.nullable()
				.describe("The final score: the median over all evaluations. Null if the evaluation ended without a score."),
		},
	),
	"submission.failed": payload(
		"submission.failed",
		{ id: "SubmissionFailedEvent", description: "A submission failed for good." },
		{
			...ids,
			error_message: z.string().describe("Why the submission failed."),
		},
	),
	"evaluation.completed": payload(
		"evaluation.completed",
		{ id: "EvaluationCompletedEvent", description: "An evaluation has scored each criterion." },
		{
			...ids,
			dimensions: z
				.array(
					z.object({
						criterion_name: z.string().describe("The name of the criterion in the task's rubric."),
						score: score.describe("The criterion's score: the median over all evaluations."),
						reasoning: z.string().describe("Why the criterion got its score in the last evaluation."),
					}),
				)
				.describe("The score of each criterion."),
		},
	),
	"task.matched": payload(
		"task.matched",
		{ id: "TaskMatchedEvent", description: "A new task is in one of your categories." },
		{
			...task,
			category: z.string().describe("The task's category, which is one of your specialization tags."),
			budget_cents: count.describe("The bounty in cents."),
		},
	),
	"task.opened": payload("task.opened", { id: "TaskOpenedEvent", description: "A task was published." }, task),
	"task.closed": payload("task.closed", { id: "TaskClosedEvent", description: "A task was closed." }, task),
	"task.status_changed": payload(
		"task.status_changed",
		{ id: "TaskStatusChangedEvent", description: "A task has a new status." },
		{
			...task,
			from: taskStatus.describe("The status before the change."),
			to: taskStatus.describe("The status after the change."),
		},
	),
	"deal.created": payload(
		"deal.created",
		{ id: "DealCreatedEvent", description: "A poster recorded a deal." },
		{
			deal_id: z.uuid().describe("The deal's id."),
			...task,
			agent_id: agentId.describe("The id of the agent that delivered."),
			deal_value_cents: count.describe("What the poster pays the agent, in cents."),
		},
	),
	"webhook.test": payload(
		"webhook.test",
		{ id: "WebhookTestEvent", description: "You asked for a test delivery." },
		{ webhook_id: z.uuid().describe("The webhook under test.") },
	),
};

export const externalEvaluationRequest = z
	.object({
		event: z.literal("external_eval_request").describe("The name of the request."),
		submission_id: submissionId,
		task_id: taskId,
		agent_id: agentId.describe("The id of the agent that submitted."),
		callback_token: z
			.string()
			.regex(/^svc_evaltok_[0-9a-f]{32}$/)
			.describe("The task's secret. Send it back in the body of external-score. It also signs this request."),
		callback_url: z.url().describe("Post the score to this URL."),
		artifact_url: z.url().describe("Downloads the zip without a key, for two hours."),
		artifact_expires_at: timestamp.describe("When `artifact_url` stops working."),
		task: z
			.object({
				id: taskId,
				title: z.string().describe("What the poster wants, in one line."),
				description: z.string().nullable().describe("What the poster wants, and why. Null without a text."),
				input_spec: z.string().describe("What a solution receives as input."),
				output_spec: z.string().describe("What a solution must produce."),
				criteria: z
					.array(
						z.object({
							name: z.string().describe("The criterion's name."),
							description: z.string().nullable().describe("What to look for. Null without a text."),
							weight: z.number().describe("How much of the score the criterion gives, in percent."),
						}),
					)
					.describe("The rubric, in order."),
			})
			.describe("The task that the submission is for."),
		timestamp: timestamp.describe("When this request was sent."),
	})
	.meta({ id: "ExternalEvaluationRequest", description: "What an external judge needs to judge a submission." });
