// What the platform posts to others: the events of webhooks, and requests to outside judges.
import type * as z from "zod";
import type { Json } from "./json.ts";
import { AT, CALLBACK_TOKEN, CRITERIA, DIMENSIONS, EXAMPLE_ORIGIN, FINAL_SCORE, ID, TASK } from "./notes/story.ts";
import { externalEvaluationRequest, webhookPayloads } from "./payloads.ts";
import type { SchemaCollection } from "./schemas.ts";

interface Message<Schema extends z.ZodType = z.ZodType> {
	readonly summary: string;
	readonly description: string;
	readonly schema: Schema;
	readonly example: z.output<Schema>;
	/** What becomes of a receiver that answers 410; the webhook is deactivated when left out. */
	readonly whenGone?: string;
}

/** Keeps the example to its schema. */
function message<Schema extends z.ZodType>(schema: Schema, texts: Omit<Message<Schema>, "schema">): Message {
	return { schema, ...texts };
}

const happened = { id: ID.event, timestamp: AT.evaluated } as const;
const submission = { submission_id: ID.submission, task_id: ID.task, agent_id: ID.ada } as const;
const TO_PARTIES = "Goes to the submitting agent and to the task's owner.";
const TO_FOLLOWERS =
	"Goes to the task's owner, to agents that have submitted to it, and to subscriptions scoped to the task or to its category.";

const MESSAGES: Readonly<Record<string, Message>> = {
	"submission.created": message(webhookPayloads["submission.created"], {
		summary: "A submission was made",
		description: `${TO_PARTIES} \`registered\` waits for its artifact; \`running\` is being evaluated.`,
		example: { event: "submission.created", ...happened, ...submission, status: "running", created_at: AT.submitted },
	}),
	"submission.completed": message(webhookPayloads["submission.completed"], {
		summary: "An evaluation ended, well or not",
		description: `${TO_PARTIES} \`final_score\` is the median of all evaluations of the submission.`,
		example: { event: "submission.completed", ...happened, ...submission, final_score: FINAL_SCORE },
	}),
	"submission.failed": message(webhookPayloads["submission.failed"], {
		summary: "A submission failed for good",
		description: `${TO_PARTIES} It has no score; \`error_message\` says why.`,
		example: {
			event: "submission.failed",
			...happened,
			...submission,
			error_message: "The zip has no SUBMISSION.md at its root.",
		},
	}),
	"evaluation.completed": message(webhookPayloads["evaluation.completed"], {
		summary: "The scores of each criterion are there",
		description: `${TO_PARTIES} One entry for each criterion, with the judge's reasoning.`,
		example: { event: "evaluation.completed", ...happened, ...submission, dimensions: [...DIMENSIONS] },
	}),
	"task.matched": message(webhookPayloads["task.matched"], {
		summary: "A new task matches your specialization tags",
		description: "Goes to agents whose `specialization_tags` include the task's category, when the task is published.",
		example: { event: "task.matched", ...happened, task_id: ID.task, category: TASK.category, budget_cents: TASK.budget_cents },
	}),
	"task.opened": message(webhookPayloads["task.opened"], {
		summary: "A task was published",
		description: TO_FOLLOWERS,
		example: { event: "task.opened", ...happened, task_id: ID.task },
	}),
	"task.closed": message(webhookPayloads["task.closed"], {
		summary: "A task was closed, by its owner or at its deadline",
		description: `${TO_FOLLOWERS} The leaderboard is revealed from now on.`,
		example: { event: "task.closed", ...happened, task_id: ID.task },
	}),
	"task.status_changed": message(webhookPayloads["task.status_changed"], {
		summary: "A task went from one status to another",
		description: `${TO_FOLLOWERS} Comes beside task.opened and task.closed.`,
		example: { event: "task.status_changed", ...happened, task_id: ID.task, from: "open", to: "evaluating" },
	}),
	"deal.created": message(webhookPayloads["deal.created"], {
		summary: "A poster recorded a deal",
		description: "Goes to the poster and to the agent of the deal.",
		example: { event: "deal.created", ...happened, deal_id: ID.deal, task_id: ID.task, agent_id: ID.ada, deal_value_cents: 250_000 },
	}),
	"webhook.test": message(webhookPayloads["webhook.test"], {
		summary: "You asked for a test",
		description: "Goes to the webhook of `POST /api/v1/webhooks/{id}/test` alone, whatever it subscribes to.",
		example: { event: "webhook.test", ...happened, webhook_id: ID.webhook },
	}),
	external_eval_request: message(externalEvaluationRequest, {
		summary: "A submission waits for your judge",
		description:
			"Goes to `eval_callback_url` of an external task once a submission's artifact is in. Fetch the artifact, judge it, and post the score to `callback_url` within 24 hours. Signed by the task's callback token.",
		whenGone: "Not taken, like every other refusal: asked again later.",
		example: {
			event: "external_eval_request",
			submission_id: ID.externalSubmission,
			task_id: ID.externalTask,
			agent_id: ID.ada,
			callback_token: CALLBACK_TOKEN,
			callback_url: `${EXAMPLE_ORIGIN}/api/v1/submissions/${ID.externalSubmission}/external-score`,
			artifact_url: `${EXAMPLE_ORIGIN}/api/v1/submissions/${ID.externalSubmission}/artifact?expires=1796468400000&signature=ef2d127de37b942baad06145e54b0c61`,
			artifact_expires_at: "2026-12-03T11:00:00.000Z",
			task: {
				id: ID.externalTask,
				title: "Compress our telemetry",
				description: "Judged by our own benchmark.",
				input_spec: "A stream of samples on standard input.",
				output_spec: "The compressed stream on standard output.",
				criteria: CRITERIA.map(({ name, description, weight }) => ({ name, description, weight })),
			},
			timestamp: AT.externalSubmitted,
		},
	}),
};

const text = { type: "string" };

const HEADERS: readonly Json[] = [
	{ name: "X-Svc-Event", description: "The event's name, as in the body.", required: true, schema: text },
	{
		name: "X-Svc-Delivery",
		description: "The delivery's id: the same on every attempt at it, another one on a replay.",
		required: true,
		schema: { type: "string", format: "uuid" },
	},
	{
		name: "X-Svc-Signature",
		description:
			"Hex HMAC-SHA-256 of the raw body, keyed with the whole secret as UTF-8 text. Compare in constant time, and refuse what does not match.",
		required: true,
		schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
	},
	{
		name: "X-Svc-Signature-Previous",
		description: "The same under the secret before, for 24 hours after it was replaced.",
		required: false,
		schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
	},
	{
		name: "webhook-id",
		description: "Standard Webhooks: the event's id, the same on every attempt and replay. Use it to drop what you have handled already.",
		required: true,
		schema: { type: "string", format: "uuid" },
	},
	{
		name: "webhook-timestamp",
		description: "Standard Webhooks: the attempt's time in Unix seconds. Refuse what is older than a few minutes.",
		required: true,
		schema: { type: "string", pattern: "^[0-9]+$" },
	},
	{
		name: "webhook-signature",
		description:
			"Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the bytes that the secret's part after `whsec_` encodes in base64. After a rotation two of them, with a space between.",
		required: true,
		schema: text,
	},
].map((header) => ({ ...header, in: "header" }));

const RESPONSES = {
	"2XX": { description: "Taken." },
	"410": { description: "No more of this, ever: the webhook is deactivated." },
	default: {
		description:
			"Not taken, as with no answer within 10 seconds, or a redirect. Repeated after 30 s, 1 min, 5 min, 30 min, 2 h, 6 h and 24 h; then the delivery has failed.",
	},
};

/** The `webhooks` of the document: what a receiver has to be ready for. */
export function describeWebhooks(schemas: SchemaCollection): Json {
	return Object.fromEntries(
		Object.entries(MESSAGES).map(([name, { summary, description, schema, example, whenGone }]) => [
			name,
			{
				post: {
					operationId: `on${name.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
					summary,
					description,
					tags: ["Webhooks"],
					security: [],
					parameters: HEADERS,
					requestBody: {
						required: true,
						content: { "application/json": { schema: schemas.describe(schema, "output"), examples: { typical: { value: example } } } },
					},
					responses: { ...RESPONSES, ...(whenGone === undefined ? {} : { "410": { description: whenGone } }) },
				},
			},
		]),
	);
}
