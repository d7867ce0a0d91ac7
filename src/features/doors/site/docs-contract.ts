// The docs API: pages, search, handbook, health, OpenAPI document.
import * as z from "zod";
import { modesWith } from "../../../domain/modes.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { text } from "../../../http/fields.ts";
import { limitParameter } from "../../../http/pagination.ts";
import { MAX_NAME_CHARACTERS, pageSlug } from "./contract.ts";
import { MAX_BODY_SCORE, SEARCH_WEIGHTS, SNIPPET_LENGTH } from "./docs-rules.ts";

const tags = ["Documentation"];
const unchanged = { status: 304, description: "What `If-None-Match` names is current." } as const;
const etag = { ETag: "Changes with the text." };

const pageSummary = z
	.object({
		slug: z.string().describe("Identifies the page. Its parts are separated by slashes."),
		title: z.string().describe("The page's title."),
		description: z.string().nullable().describe("What the page is about, in one sentence. Null without one."),
	})
	.meta({ id: "DocsPageSummary", description: "A documentation page, without its text." });

const page = pageSummary
	.extend({
		body_md: z.string().describe("The page's MDX source without its frontmatter."),
		file_path: z.string().describe("The path of the page's source in the project."),
	})
	.meta({ id: "DocsPage", description: "A documentation page with its text." });

const searchHit = pageSummary
	.extend({
		snippet: z.string().describe(`About ${SNIPPET_LENGTH} characters around the best match in the text.`),
		score: z.number().describe("Points of all matches: a match in the title counts more than one in the text."),
	})
	.meta({ id: "DocsSearchHit", description: "A page that a search found." });

/** Pages change with deployments only. */
const SHORTLY = { seconds: 60, of: "deployment" } as const;

export const listDocs = contractOf({
	method: "get",
	path: "/api/v1/docs",
	operationId: "listDocs",
	shared: SHORTLY,
	summary: "List the pages of the documentation",
	description: "In the order in which they are meant to be read.",
	tags,
	auth: "none",
	rate: "general",
	response: {
		status: 200,
		description: "Every page.",
		schema: z
			.object({ pages: z.array(pageSummary).describe("All pages, in reading order.") })
			.meta({ id: "DocsList", description: "The documentation pages." }),
		headers: etag,
		others: [unchanged],
	},
	errors: [],
});

export const getDocsPage = contractOf({
	method: "get",
	path: "/api/v1/docs/page/{slug}",
	operationId: "getDocsPage",
	shared: SHORTLY,
	summary: "Read a page of the documentation",
	description: "The samples contain the URL of this deployment, so you can copy them as they are.",
	tags,
	auth: "none",
	rate: "general",
	params: z.object({ slug: pageSlug }),
	greedyParam: "slug",
	query: z.object({
		format: z.enum(["json", "raw"]).optional().meta({
			default: "json",
			description: "`raw` returns only the Markdown. Without this parameter, `Accept: text/markdown` does the same.",
		}),
	}),
	response: {
		status: 200,
		description: "The page.",
		schema: page,
		headers: { ...etag, Vary: "Without `format`, the `Accept` header decides." },
		others: [{ status: 200, description: "The page's Markdown.", contentType: "text/markdown" }, unchanged],
	},
	errors: ["NOT_FOUND"],
});

export const searchDocs = contractOf({
	method: "get",
	path: "/api/v1/docs/search",
	operationId: "searchDocs",
	shared: SHORTLY,
	summary: "Search the documentation",
	description: [
		"Finds the exact `q`, spaces included, wherever it occurs, in upper or lower case. Occurrences that overlap count once.",
		`Each one in the title gives ${SEARCH_WEIGHTS.title} points, in the description ${SEARCH_WEIGHTS.description}, in a heading ${SEARCH_WEIGHTS.heading} and in the rest of the body`,
		`${SEARCH_WEIGHTS.body}, of which a page gets at most ${MAX_BODY_SCORE}. The body is the Markdown source, with code but without headings. Best first; pages with equal scores are in the order of the list.`,
		"When no page contains the exact `q`, pages that contain all of its words are found, with the points of all words.",
		"The snippet shows where the body has the most occurrences, in its sentences before its code; without one there, it is the description, or how the page begins.",
	].join(" "),
	tags,
	auth: "none",
	rate: "general",
	query: z.object({
		q: text({ min: 1, max: 200 })
			.refine((q) => q.trim() !== "", "must have more than spaces")
			.meta({ description: "The text to search for.", pattern: "\\S" }),
		limit: limitParameter({ max: 50, default: 10 }),
	}),
	response: {
		status: 200,
		description: "The pages that were found.",
		schema: z
			.object({
				q: z.string().describe("The text that was searched for."),
				hits: z
					.array(searchHit)
					.describe("Pages that contain the text, best match first. If there is none, pages that contain all of its words."),
			})
			.meta({ id: "DocsSearchResult", description: "The result of a documentation search." }),
		headers: etag,
		others: [unchanged],
	},
	errors: [],
});

const transition = z.object({
	from: z.array(z.string()).describe("The states that the transition starts from. Empty if it creates the resource."),
	to: z.string().describe("The state that the transition leads to."),
	trigger: z.string().describe("What causes the transition."),
	condition: z.string().nullable().describe("What must be true for the transition. Null if it has no condition."),
});

const lifecycle = z.object({
	states: z.array(z.string()).describe("All states."),
	initial: z.string().describe("The first state."),
	terminal: z.array(z.string()).describe("States without a transition to another one."),
	note: z.string().optional().describe("Anything else to know about the states."),
	transitions: z.array(transition).describe("All transitions between the states."),
});

const dealFlow = z.object({
	summary: z.string().describe("The whole way in one sentence."),
	deal_types: z.array(z.string()).describe("The kinds of deals that a poster can record."),
	steps: z
		.array(
			z.object({
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
				z.object({
					name: z.string().describe("The name of the credential."),
					how: z.string().describe("Where the credential goes in a request."),
					from: z.string().nullable().describe("Where to get the credential. Null if none is needed."),
				}),
			)
			.describe("The kinds of credentials."),
		enumerations: z.record(z.string(), z.array(z.string().nullable())).describe("The values of every enumeration, by its name."),
		states: z
			.object({
				task: lifecycle.describe("The states of a task."),
				submission: lifecycle.describe("The states of a submission."),
				deal: lifecycle.describe("The states of a deal."),
			})
			.describe("The states of tasks, submissions and deals, and the transitions between them."),
		limits: z.record(z.string(), z.unknown()).describe("Limits by name. Each name ends with its unit."),
		errors: z
			.array(
				z.object({
					code: z.string().describe("The code in `error.code`."),
					status: z.int().describe("The HTTP status of responses with this code."),
					what_to_do: z.string().describe("What to do about the error."),
					next_actions: z
						.array(
							z.object({
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
		events: z
			.object({
				webhooks: z
					.array(
						z.object({
							event: z.string().describe("The name of the event."),
							fires_when: z.string().describe("What causes the event."),
							fields: z.array(z.string()).describe("The fields of the event's body."),
						}),
					)
					.describe("Events that webhooks receive."),
				streams: z
					.array(
						z.object({
							path: z.string().describe("The path of the stream, with `{name}` for each parameter."),
							events: z.array(z.string()).describe("The names of the stream's events."),
						}),
					)
					.describe("Streams of server-sent events."),
			})
			.describe("The events of webhooks and streams."),
		endpoints: z
			.array(
				z.object({
					method: z.string().describe("The HTTP method."),
					path: z.string().describe("The endpoint's path, with `{name}` for each parameter."),
					operation_id: z.string().describe("The operation's id in the OpenAPI document."),
					auth: z.string().describe("The kind of credential, by its name in `authentication`."),
					rate: z.string().describe("The rate limit that requests count against."),
					summary: z.string().describe("What the endpoint does."),
					stable: z.boolean().describe("Whether the endpoint belongs to the stable API under /api/v1/."),
				}),
			)
			.describe("Every operation, in one line each."),
		for_posters: dealFlow.describe("The way from a draft to a deal."),
		for_companies: dealFlow.meta({ deprecated: true, description: "The same as `for_posters`, under its older name." }),
		deprecated: z
			.array(
				z.object({
					name: z.string().describe("The older name."),
					use_instead: z.string().describe("The name to use instead."),
				}),
			)
			.describe("Names that still work but have a newer one."),
	})
	.meta({ id: "Handbook", description: "Facts about the service that a program can look up." });

export const getHandbook = contractOf({
	method: "get",
	path: "/api/docs",
	operationId: "getHandbook",
	shared: SHORTLY,
	summary: "Read the handbook: what a program has to know, as JSON",
	description:
		"Enumerations, states and their transitions, limits, errors, events, endpoints and the way to a deal, made from the tables that the service itself decides by.",
	tags,
	auth: "none",
	rate: "general",
	response: { status: 200, description: "The handbook.", schema: handbook, headers: etag, others: [unchanged] },
	errors: [],
});

export const getHealth = contractOf({
	method: "get",
	path: "/health",
	operationId: "getHealth",
	summary: "See whether the service runs, and with which judge and grader",
	description: "Does not touch storage.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	response: {
		status: 200,
		description: "The service runs.",
		schema: z.object({
			status: z.literal("ok").describe("Always `ok`: the service runs."),
			environment: z
				.enum(["development", "production"])
				.describe("`development` uses an offline judge and allows http URLs of this machine."),
			judge: z
				.string()
				.describe(
					`The name of the judge. With \`not configured\`, tasks in the modes ${modesWith("usesJudge").join(" and ")} are rejected.`,
				),
			judge_models: z.array(z.string()).describe("The models that the judge uses."),
			grader: z
				.enum(["container", "url", "not configured"])
				.describe(
					`Where posters' images run. With \`not configured\`, submissions in the modes ${modesWith("usesImage").join(" and ")} end as \`evaluation_failed\`.`,
				),
		}),
	},
	errors: [],
});

export const getOpenApi = contractOf({
	method: "get",
	path: "/openapi.json",
	operationId: "getOpenApi",
	summary: "Read this document",
	description: "The OpenAPI 3.1 description of every endpoint.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	response: { status: 200, description: "The document.", schema: z.record(z.string(), z.unknown()), headers: etag, others: [unchanged] },
	errors: [],
});

/** One route, because the router supports no parameter next to the literal `tags`. */
export const getOpenApiPiece = contractOf({
	method: "get",
	path: "/openapi/{piece}",
	operationId: "getOpenApiPiece",
	summary: "Read one operation or one tag of this document",
	description:
		"`/openapi/{operationId}.json` is a whole OpenAPI document with one operation and the schemas that it needs, `/openapi/tags/{tag}.json` one with the operations of a tag. Upper and lower case of a tag are the same.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	params: z.object({
		piece: z.string().meta({ description: "`{operationId}.json` or `tags/{tag}.json`.", maxLength: MAX_NAME_CHARACTERS }),
	}),
	greedyParam: "piece",
	response: { status: 200, description: "The document.", schema: z.record(z.string(), z.unknown()), headers: etag, others: [unchanged] },
	errors: ["NOT_FOUND"],
});
