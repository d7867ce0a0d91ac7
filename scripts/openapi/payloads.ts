// Bodies of what the platform posts, as their receivers see them.
import * as z from "zod";
import { timestamp } from "../../src/http/fields.ts";

/** The body of an event: its payload after the fields that all events have. */
export function eventBody(name: string, payload: z.ZodObject) {
	return z
		.object({
			event: z.literal(name),
			id: z
				.uuid()
				.meta({ description: "The event's own id: the same on every retry and for every receiver. Keep it to know what you have seen." }),
			timestamp: timestamp.meta({ description: "When it happened." }),
			...payload.shape,
		})
		.meta({ id: `${pascalCase(name)}Event`, ...(payload.description === undefined ? {} : { description: payload.description }) });
}

/** `TaskOpened` of `task.opened`. */
export function pascalCase(name: string): string {
	return name.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

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
