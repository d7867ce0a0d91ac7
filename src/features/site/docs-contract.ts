// The docs API: pages, search, handbook, health, OpenAPI document.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { limitParameter } from "../../http/pagination.ts";
import { MAX_BODY_SCORE, SEARCH_WEIGHTS, SNIPPET_LENGTH } from "./docs-rules.ts";

const tags = ["Documentation"];
const unchanged = { status: 304, description: "What `If-None-Match` names is current." } as const;
const etag = { ETag: "Changes with the text." };

const pageSummary = z
	.object({
		slug: z.string().meta({ description: "Names the page; its parts are joined by slashes." }),
		title: z.string(),
		description: z.string().nullable(),
	})
	.meta({ id: "DocsPageSummary" });

const page = pageSummary
	.extend({
		body_md: z.string().meta({ description: "The page's MDX source without its frontmatter." }),
		file_path: z.string().meta({ description: "The source's place in the project." }),
	})
	.meta({ id: "DocsPage" });

const searchHit = pageSummary
	.extend({
		snippet: z.string().meta({ description: `About ${SNIPPET_LENGTH} characters around the best match in the body.` }),
		score: z.number(),
	})
	.meta({ id: "DocsSearchHit" });

export const listDocs = endpoint({
	method: "get",
	path: "/api/v1/docs",
	operationId: "listDocs",
	summary: "List the pages of the documentation",
	description: "In the order in which they are meant to be read.",
	tags,
	auth: "none",
	rate: "general",
	response: {
		status: 200,
		description: "Every page.",
		schema: z.object({ pages: z.array(pageSummary) }).meta({ id: "DocsList" }),
		headers: etag,
		others: [unchanged],
	},
	errors: [],
});

export const getDocsPage = endpoint({
	method: "get",
	path: "/api/v1/docs/page/{slug}",
	operationId: "getDocsPage",
	summary: "Read a page of the documentation",
	description: "Addresses in its samples are those of the deployment that answers, so they can be copied as they are.",
	tags,
	auth: "none",
	rate: "general",
	params: z.object({ slug: z.string() }),
	greedyParam: "slug",
	query: z.object({
		format: z.enum(["json", "raw"]).optional().meta({
			default: "json",
			description: "`raw` gives the Markdown alone. Left out, so does `Accept: text/markdown`.",
		}),
	}),
	response: {
		status: 200,
		description: "The page.",
		schema: page,
		headers: { ...etag, Vary: "`Accept` decides where `format` is left out." },
		others: [{ status: 200, description: "The page's Markdown.", contentType: "text/markdown" }, unchanged],
	},
	errors: ["NOT_FOUND"],
});

export const searchDocs = endpoint({
	method: "get",
	path: "/api/v1/docs/search",
	operationId: "searchDocs",
	summary: "Search the documentation",
	description: [
		"Finds `q` as it stands, spaces included, wherever it occurs, in upper or lower case. Occurrences that overlap count once.",
		`Each one in the title gives ${SEARCH_WEIGHTS.title} points, in the description ${SEARCH_WEIGHTS.description}, in a heading ${SEARCH_WEIGHTS.heading} and in the rest of the body`,
		`${SEARCH_WEIGHTS.body}, of which a page gets at most ${MAX_BODY_SCORE}. The body is the Markdown source, with code but without headings. Best first; pages with equal scores are in the order of the list.`,
		"The snippet shows where the body has the most occurrences; without one there, it is the description, or how the page begins.",
	].join(" "),
	tags,
	auth: "none",
	rate: "general",
	query: z.object({
		q: text({ min: 1, max: 200 }).refine((q) => q.trim() !== "", "must have more than spaces"),
		limit: limitParameter({ max: 50, default: 10 }),
	}),
	response: {
		status: 200,
		description: "Pages that have it.",
		schema: z.object({ q: z.string(), hits: z.array(searchHit) }).meta({ id: "DocsSearchResult" }),
		headers: etag,
		others: [unchanged],
	},
	errors: [],
});

const transition = z.object({
	from: z.array(z.string()).meta({ description: "Empty for what begins it." }),
	to: z.string(),
	trigger: z.string(),
	condition: z.string().nullable(),
});

const lifecycle = z.object({
	states: z.array(z.string()),
	initial: z.string(),
	terminal: z.array(z.string()),
	note: z.string().optional(),
	transitions: z.array(transition),
});

const dealFlow = z.object({
	summary: z.string(),
	deal_types: z.array(z.string()),
	steps: z.array(z.object({ step: z.int(), method: z.string(), path: z.string(), operation_id: z.string(), description: z.string() })),
});

const handbook = z
	.object({
		version: z.literal("1.1"),
		base_url: z.string(),
		authentication: z.array(z.object({ name: z.string(), how: z.string(), from: z.string().nullable() })),
		enumerations: z.record(z.string(), z.array(z.string().nullable())),
		states: z.object({ task: lifecycle, submission: lifecycle }),
		limits: z.record(z.string(), z.unknown()).meta({ description: "Each with its unit in its name." }),
		errors: z.array(
			z.object({
				code: z.string(),
				status: z.int(),
				what_to_do: z.string(),
				next_actions: z.array(z.object({ method: z.string(), path: z.string(), description: z.string() })).optional(),
			}),
		),
		events: z.object({
			webhooks: z.array(z.object({ event: z.string(), fires_when: z.string(), fields: z.array(z.string()) })),
			streams: z.array(z.object({ path: z.string(), events: z.array(z.string()) })),
		}),
		endpoints: z.array(
			z.object({
				method: z.string(),
				path: z.string(),
				operation_id: z.string(),
				auth: z.string(),
				rate: z.string(),
				summary: z.string(),
				stable: z.boolean().meta({ description: "Whether it belongs to the stable surface under /api/v1/." }),
			}),
		),
		for_posters: dealFlow.meta({ description: "From a draft to a deal." }),
		for_companies: dealFlow.meta({ deprecated: true, description: "The same as for_posters, under its older name." }),
		deprecated: z.array(z.object({ name: z.string(), use_instead: z.string() })).meta({ description: "Names that still work." }),
	})
	.meta({ id: "Handbook" });

export const getHandbook = endpoint({
	method: "get",
	path: "/api/docs",
	operationId: "getHandbook",
	summary: "Read the handbook: what a program has to know, as JSON",
	description:
		"Enumerations, states and their transitions, limits, errors, events, endpoints and the way to a deal, made from the tables that the service itself decides by.",
	tags,
	auth: "none",
	rate: "general",
	response: { status: 200, description: "The handbook.", schema: handbook, headers: etag, others: [unchanged] },
	errors: [],
});

export const getHealth = endpoint({
	method: "get",
	path: "/health",
	operationId: "getHealth",
	summary: "See whether the service runs, and with which judge and grader",
	description: "Answers without touching storage.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	response: {
		status: 200,
		description: "The service runs.",
		schema: z.object({
			status: z.literal("ok"),
			environment: z.enum(["development", "production"]),
			judge: z.string().meta({ description: "Name of the judge, or `not configured`: then tasks in mode llm or hybrid are refused." }),
			judge_models: z.array(z.string()).meta({ description: "Models that the judge asks." }),
			grader: z.enum(["container", "url", "not configured"]),
		}),
	},
	errors: [],
});

export const getOpenApi = endpoint({
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
