// Describes the requests that the platform sends to others: the events of webhooks, and requests to external judges.
import type * as z from "zod";
import { EVENTS, WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { AT, CALLBACK_TOKEN, CRITERIA, EXAMPLE_ORIGIN, ID } from "../../src/domain/example-story.ts";
import { TEST_EVENT } from "../../src/domain/test-event.ts";
import { EVENTS_TAG } from "./introduction.ts";
import type { Json } from "./json.ts";
import { pascalCase } from "./names.ts";
import { eventBody, externalEvaluationRequest } from "./payloads.ts";
import type { SchemaCollection } from "./schemas.ts";

interface Message {
	readonly summary: string;
	readonly description: string;
	readonly schema: z.ZodType;
	readonly example: unknown;
	/** What happens if the receiver returns 410. By default, its webhook is deactivated. */
	readonly whenGone?: string;
}

/** The values that the example of every event has. */
const happened = { id: ID.event, timestamp: AT.evaluated } as const;

function describeEvent(
	name: string,
	{ summary, description, payload, example }: Pick<Message, "summary" | "description"> & { payload: z.ZodObject; example: object },
): Message {
	return { summary, description, schema: eventBody(name, payload), example: { event: name, ...happened, ...example } };
}

const scoreRequestExample: z.output<typeof externalEvaluationRequest> = {
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
};

const MESSAGES: Readonly<Record<string, Message>> = {
	...Object.fromEntries(WEBHOOK_EVENTS.map((name) => [name, describeEvent(name, EVENTS[name].webhook)])),
	[TEST_EVENT.name]: describeEvent(TEST_EVENT.name, TEST_EVENT),
	external_eval_request: {
		summary: "A submission waits for your judge",
		description:
			"Goes to `eval_callback_url` of an external task once a submission's artifact has arrived. Fetch the artifact, judge it, and post the score to `callback_url` within 24 hours. The task's callback token signs the request.",
		schema: externalEvaluationRequest,
		whenGone: "Any other status: the platform retries later.",
		example: scoreRequestExample,
	},
};

const text = { type: "string" };

const HEADERS: readonly Json[] = [
	{ name: "X-Svc-Event", description: "The event's name, as in the body.", required: true, schema: text },
	{
		name: "X-Svc-Delivery",
		description: "The delivery's id. It is the same for every attempt of the delivery. A replay has a new id.",
		required: true,
		schema: { type: "string", format: "uuid" },
	},
	{
		name: "X-Svc-Signature",
		description:
			"Hex HMAC-SHA-256 of the raw body, keyed with the whole secret as UTF-8 text. Compare in constant time, and reject a delivery whose signature does not match.",
		required: true,
		schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
	},
	{
		name: "X-Svc-Signature-Previous",
		description: "The same HMAC with the previous secret, for 24 hours after the secret was replaced.",
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
		description: "Standard Webhooks: the attempt's time in Unix seconds. Reject deliveries that are older than a few minutes.",
		required: true,
		schema: { type: "string", pattern: "^[0-9]+$" },
	},
	{
		name: "webhook-signature",
		description:
			"Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the bytes that the secret's part after `whsec_` encodes in base64. For 24 hours after a rotation, the header contains two signatures, separated by a space.",
		required: true,
		schema: text,
	},
].map((header) => ({ ...header, in: "header" }));

const RESPONSES = {
	"2XX": { description: "The receiver accepted the event." },
	"410": { description: "The receiver wants no more events. The platform deactivates the webhook." },
	default: {
		description:
			"The delivery failed. A redirect, or no response within 10 seconds, is also a failure. The platform repeats the delivery after 30 s, 1 min, 5 min, 30 min, 2 h, 6 h and 24 h; after that, it has failed for good.",
	},
};

/** Makes the `webhooks` of the document, in the order of their names. */
export function describeWebhooks(schemas: SchemaCollection): Json {
	return Object.fromEntries(
		Object.entries(MESSAGES)
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, { summary, description, schema, example, whenGone }]) => [
				name,
				{
					post: {
						operationId: `on${pascalCase(name)}`,
						summary,
						description,
						tags: [EVENTS_TAG],
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
