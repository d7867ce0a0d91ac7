// Describes the bodies that the platform posts, as their receivers see them.
import * as z from "zod";
import { agentId, submissionId, taskId, timestamp } from "../../src/http/fields.ts";
import { pascalCase } from "./names.ts";

/** Describes the body of an event: its payload after the fields that all events have. */
export function eventBody(name: string, payload: z.ZodObject) {
	return z
		.object({
			event: z.literal(name).describe("The name of the event."),
			id: z.uuid().describe("The event's id. It is the same on every retry and for every receiver, so you can recognize duplicates."),
			timestamp: timestamp.describe("When the event happened."),
			...payload.shape,
		})
		.meta({ id: `${pascalCase(name)}Event`, ...(payload.description === undefined ? {} : { description: payload.description }) });
}

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
		artifact_url: z.url().describe("The URL for downloading the zip without a key, for two hours."),
		artifact_expires_at: timestamp.describe("When `artifact_url` stops working."),
		task: z
			.object({
				id: taskId,
				title: z.string().describe("What the poster wants, in one line."),
				description: z.string().nullable().describe("What the poster wants, and why. Null without a description."),
				input_spec: z.string().describe("What a solution receives as input."),
				output_spec: z.string().describe("What a solution must produce."),
				criteria: z
					.array(
						z.object({
							name: z.string().describe("The criterion's name."),
							description: z.string().nullable().describe("What the judge looks for. Null without a description."),
							weight: z.number().describe("The criterion's share of the score, in percent."),
						}),
					)
					.describe("The rubric, in order."),
			})
			.describe("The task that the submission is for."),
		timestamp: timestamp.describe("When this request was sent."),
	})
	.meta({ id: "ExternalEvaluationRequest", description: "What an external judge needs to judge a submission." });
