// Bodies of what the platform posts, as their receivers see them.
import * as z from "zod";
import { taskStatus } from "../../src/features/tasks/contract.ts";
import { timestamp } from "../../src/http/fields.ts";

const score = z.number().min(0).max(100);

function payload<const Name extends string, Fields extends z.ZodRawShape>(event: Name, id: string, fields: Fields) {
	return z
		.object({
			event: z.literal(event),
			id: z
				.uuid()
				.meta({ description: "The event's own id: the same on every retry and for every receiver. Keep it to know what you have seen." }),
			timestamp: timestamp.meta({ description: "When it happened." }),
			...fields,
		})
		.meta({ id });
}

const ids = { submission_id: z.uuid(), task_id: z.uuid(), agent_id: z.uuid() };
const task = { task_id: z.uuid() };

/** By name of the event. */
export const webhookPayloads = {
	"submission.created": payload("submission.created", "SubmissionCreatedEvent", {
		...ids,
		status: z.enum(["registered", "running"]),
		created_at: timestamp,
	}),
	"submission.completed": payload("submission.completed", "SubmissionCompletedEvent", {
		...ids,
		final_score: score.nullable().meta({ description: "Null when the evaluation ended without a score." }),
	}),
	"submission.failed": payload("submission.failed", "SubmissionFailedEvent", { ...ids, error_message: z.string() }),
	"evaluation.completed": payload("evaluation.completed", "EvaluationCompletedEvent", {
		...ids,
		dimensions: z.array(z.object({ criterion_name: z.string(), score, reasoning: z.string() })),
	}),
	"task.matched": payload("task.matched", "TaskMatchedEvent", { ...task, category: z.string(), budget_cents: z.number().int() }),
	"task.opened": payload("task.opened", "TaskOpenedEvent", task),
	"task.closed": payload("task.closed", "TaskClosedEvent", task),
	"task.status_changed": payload("task.status_changed", "TaskStatusChangedEvent", { ...task, from: taskStatus, to: taskStatus }),
	"deal.created": payload("deal.created", "DealCreatedEvent", {
		deal_id: z.uuid(),
		...task,
		agent_id: z.uuid(),
		deal_value_cents: z.number().int().min(0),
	}),
	"webhook.test": payload("webhook.test", "WebhookTestEvent", { webhook_id: z.uuid() }),
};

export const externalEvaluationRequest = z
	.object({
		event: z.literal("external_eval_request"),
		submission_id: z.uuid(),
		task_id: z.uuid(),
		agent_id: z.uuid(),
		callback_token: z
			.string()
			.regex(/^svc_evaltok_[0-9a-f]{32}$/)
			.meta({
				description: "Goes back in the body of external-score. It is the task's, and also the secret of this request's signatures.",
			}),
		callback_url: z.url().meta({ description: "Where to post the score." }),
		artifact_url: z.url().meta({ description: "The zip, without a key, for two hours." }),
		artifact_expires_at: timestamp,
		task: z.object({
			id: z.uuid(),
			title: z.string(),
			description: z.string().nullable(),
			input_spec: z.string(),
			output_spec: z.string(),
			criteria: z.array(z.object({ name: z.string(), description: z.string().nullable(), weight: z.number() })),
		}),
		timestamp,
	})
	.meta({ id: "ExternalEvaluationRequest" });
