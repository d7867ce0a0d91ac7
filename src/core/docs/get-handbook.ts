import * as z from "zod";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { DOCS_READ, showText, TEXT_ETAG, UNCHANGED } from "./built-text.ts";
import { DISCOVERY_LINKS } from "./rules.ts";

/** Defines a part of the handbook. Generators name its type after the title. Without a title, they would reuse another schema's name. */
function partOf<Shape extends z.ZodRawShape>(title: string, shape: Shape) {
	return z.object(shape).meta({ title: `Handbook${title}` });
}

/** Defines a part that occurs several times in the handbook. */
function sharedPart<Shape extends z.ZodRawShape>(name: string, description: string, shape: Shape) {
	return z.object(shape).meta({ id: `Handbook${name}`, description });
}

const transition = sharedPart("Transition", "A transition between two states.", {
	from: z.array(z.string()).describe("The states that the transition starts from. Empty if it creates the resource."),
	to: z.string().describe("The state that the transition leads to."),
	trigger: z.string().describe("What causes the transition."),
	condition: z.string().nullable().describe("What must be true for the transition. Null if it has no condition."),
});

const lifecycle = sharedPart("Lifecycle", "The states of a resource, and the transitions between them.", {
	states: z.array(z.string()).describe("All states."),
	initial: z.string().describe("The first state."),
	terminal: z.array(z.string()).describe("States without a transition to another state."),
	note: z.string().optional().describe("Anything else to know about the states."),
	transitions: z.array(transition).describe("All transitions between the states."),
});

const dealFlow = sharedPart("DealFlow", "The requests from a draft to a deal.", {
	summary: z.string().describe("The whole process in one sentence."),
	deal_types: z.array(z.string()).describe("The kinds of deals that a poster can record."),
	steps: z
		.array(
			partOf("Step", {
				step: z.int().min(1).describe("The number of the step, from 1."),
				method: z.string().describe("The HTTP method."),
				path: z.string().describe("The endpoint's path, with `{name}` for each parameter."),
				operation_id: z.string().describe("The operation's id in the OpenAPI document."),
				description: z.string().describe("What the step does."),
			}),
		)
		.describe("The requests to send, in order."),
});

const handbook = z
	.object({
		version: z.literal("1.1").describe("The version of the handbook's format."),
		base_url: z.string().meta({ description: "The origin of this deployment.", format: "uri" }),
		authentication: z
			.array(
				partOf("Credential", {
					name: z.string().describe("The name of the credential."),
					how: z.string().describe("Where the credential goes in a request."),
					from: z.string().nullable().describe("Where to get the credential. Null if none is needed."),
				}),
			)
			.describe("The kinds of credentials."),
		enumerations: z.record(z.string(), z.array(z.string().nullable())).describe("The values of every enumeration, by its name."),
		states: partOf("States", {
			task: lifecycle.describe("The states of a task."),
			submission: lifecycle.describe("The states of a submission."),
			deal: lifecycle.describe("The states of a deal."),
		}).describe("The states of tasks, submissions and deals, and the transitions between them."),
		limits: z.record(z.string(), z.unknown()).describe("Limits by name. Each name ends with its unit."),
		errors: z
			.array(
				partOf("Error", {
					code: z.string().describe("The code in `error.code`."),
					status: z.int().describe("The HTTP status of responses with this code."),
					what_to_do: z.string().describe("What to do about the error."),
					next_actions: z
						.array(
							partOf("NextAction", {
								method: z.string().describe("The HTTP method."),
								path: z.string().describe("The endpoint's path, with `{name}` for each id."),
								description: z.string().describe("What the request does."),
							}),
						)
						.optional()
						.describe("Requests that help after this error."),
				}),
			)
			.describe("Every error code."),
		events: partOf("Events", {
			webhooks: z
				.array(
					partOf("WebhookEvent", {
						event: z.string().describe("The name of the event."),
						fires_when: z.string().describe("What causes the event."),
						fields: z.array(z.string()).describe("The fields of the event's body."),
					}),
				)
				.describe("Events that webhooks receive."),
			streams: z
				.array(
					partOf("Stream", {
						path: z.string().describe("The path of the stream, with `{name}` for each parameter."),
						events: z.array(z.string()).describe("The names of the stream's events."),
					}),
				)
				.describe("Streams of server-sent events."),
		}).describe("The events of webhooks and streams."),
		endpoints: z
			.array(
				partOf("Endpoint", {
					method: z.string().describe("The HTTP method."),
					path: z.string().describe("The endpoint's path, with `{name}` for each parameter."),
					operation_id: z.string().describe("The operation's id in the OpenAPI document."),
					auth: z.string().describe("The kind of credential that the endpoint requires: a `name` in the list `authentication`."),
					rate: z.string().describe("The rate limit that requests count against."),
					summary: z.string().describe("What the endpoint does."),
					stable: z.boolean().describe("Whether the endpoint belongs to the stable API under /api/v1/."),
				}),
			)
			.describe("All operations, with one line about each."),
		for_posters: dealFlow.describe("The steps from a draft to a deal."),
		for_companies: dealFlow.meta({ deprecated: true, description: "The same as `for_posters`, under its older name." }),
		deprecated: z
			.array(
				partOf("Deprecation", {
					name: z.string().describe("The older name."),
					use_instead: z.string().describe("The name to use instead."),
				}),
			)
			.describe("Names that still work but have a newer one."),
	})
	.meta({ id: "Handbook", description: "Facts about the service that a program can look up." });

const exampleFlow: z.input<typeof dealFlow> = {
	summary: "Creating and publishing a task is free. After the task is closed, you can record one deal.",
	deal_types: ["coinbase_commerce"],
	steps: [{ step: 1, method: "POST", path: "/api/v1/tasks", operation_id: "createTask", description: "Create the task as a draft." }],
};

const exampleLifecycle: z.input<typeof lifecycle> = {
	states: ["draft", "open", "evaluating", "closed"],
	initial: "draft",
	terminal: ["closed"],
	transitions: [{ from: [], to: "draft", trigger: "POST /api/v1/tasks", condition: "The body is valid." }],
};

/** An example of a handbook, with only the first entries of each list. */
const exampleHandbook: z.input<typeof handbook> = {
	version: "1.1",
	base_url: EXAMPLE_ORIGIN,
	authentication: [{ name: "none", how: "No credential.", from: null }],
	enumerations: { task_status: ["draft", "open", "evaluating", "closed"] },
	states: {
		task: exampleLifecycle,
		submission: { ...exampleLifecycle, states: ["registered"], initial: "registered", terminal: [], transitions: [] },
		deal: { ...exampleLifecycle, states: ["recorded"], initial: "recorded", terminal: [], transitions: [] },
	},
	limits: { rate: { window_seconds: 60 } },
	errors: [{ code: "unauthorized", status: 401, what_to_do: "Send a valid API key." }],
	events: {
		webhooks: [{ event: "task.opened", fires_when: "A task was published.", fields: ["event", "id", "timestamp", "task_id"] }],
		streams: [{ path: "/api/v1/streams/bounties", events: ["connected", "bounty", "error"] }],
	},
	endpoints: [
		{
			method: "GET",
			path: "/api/v1/agent/whoami",
			operation_id: "whoAmI",
			auth: "key",
			rate: "general",
			summary: "Describe the calling identity",
			stable: true,
		},
	],
	for_posters: exampleFlow,
	for_companies: exampleFlow,
	deprecated: [{ name: "for_companies", use_instead: "for_posters" }],
};

export const getHandbook = endpoint({
	...DOCS_READ,
	path: "/api/docs",
	operationId: "getHandbook",
	summary: "Read the handbook: facts about the service for programs, as JSON",
	description:
		"Enumerations, states and their transitions, limits, errors, events, endpoints and the steps to a deal, generated from the tables that the service itself uses.",
	response: {
		status: 200,
		description: "The handbook.",
		schema: handbook,
		headers: { ...TEXT_ETAG, Link: "Links to descriptions of the API, each with a registered link relation (`rel`)." },
		others: [UNCHANGED],
	},
	errors: [],
	examples: { responses: { excerpt: { summary: "The beginning of each part", value: exampleHandbook } } },

	handle: (ctx) => showText(ctx, { path: "handbook.json", contentType: "application/json", headers: { Link: DISCOVERY_LINKS } }),
});
