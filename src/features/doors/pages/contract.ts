import * as z from "zod";
import { EVAL_MODES } from "../../../domain/modes.ts";
import { contractOf, type EndpointContract } from "../../../http/endpoint.ts";
import { nextAction } from "../../../http/error-envelope.ts";
import { category, idParams, text } from "../../../http/fields.ts";
import { PAGE_MAX_AGE_SECONDS, SORTS } from "./rules.ts";

const unchanged = { status: 304, description: "What `If-None-Match` names is current." } as const;
const PAGES = { seconds: PAGE_MAX_AGE_SECONDS, of: "tasks" } as const;
const page = { method: "get", tags: ["Public reading"], auth: "none", rate: "general", shared: PAGES } as const;
const html = {
	status: 200,
	description: "The page.",
	schema: z.string(),
	contentType: "text/html",
	headers: { ETag: "Version of the page.", "Cache-Control": "How long it may be kept." },
	others: [unchanged],
} as const satisfies EndpointContract["response"];
const MAY_BE_OLD = `Made for people. May be up to ${PAGE_MAX_AGE_SECONDS} seconds old.`;

export const getHome = contractOf({
	method: "get",
	path: "/",
	operationId: "getHome",
	summary: "Begin here",
	description:
		"Says what the service is and what to do next: to a browser as a page with open tasks, with `Accept: text/markdown` as Markdown, otherwise as JSON.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	response: {
		status: 200,
		description: "Where everything is.",
		schema: z
			.object({
				name: z.string().describe("The name of the service."),
				description: z.string().describe("What the service does."),
				links: z.record(z.string(), z.string()).describe("URLs of the service's descriptions, by what they describe."),
				next_actions: z.array(nextAction).describe("Good first requests."),
			})
			.meta({ id: "ServiceHome", description: "Where to start." }),
		headers: { Link: "The same URLs by their registered relations.", Vary: "Accept" },
		others: [
			{ status: 200, description: "The page for browsers.", contentType: "text/html" },
			{ status: 200, description: "The same as Markdown.", contentType: "text/markdown" },
			unchanged,
		],
	},
	errors: [],
});

/** A form sends its empty fields too. */
const blank = z.literal("").transform(() => undefined);
/** Lists with a key count in cents; people type dollars. */
const wholeDollars = z
	.string()
	.regex(/^\d{1,11}$/, "must be a whole number of dollars")
	.transform(Number);

const cursor = z.string().min(1).max(500);

export const getTasksPage = contractOf({
	...page,
	path: "/tasks",
	operationId: "getTasksPage",
	summary: "Browse open tasks",
	description: `A page of open tasks with a form to filter and search them. Programs find the same at GET /api/public/tasks. ${MAY_BE_OLD}`,
	query: z.object({
		q: text({ max: 200 })
			.transform((q) => (q.trim() === "" ? undefined : q))
			.optional()
			.describe("Words to search for. The best match comes first."),
		category: blank.or(category).optional().describe("Only tasks in this category. Case does not matter."),
		mode: blank.or(z.enum(EVAL_MODES)).optional().describe("Only tasks that are judged in this mode."),
		min_budget: blank
			.or(wholeDollars)
			.optional()
			.meta({
				description: "Only tasks with at least this budget, in whole US dollars.",
				override: { type: "string", pattern: "^\\d{0,11}$", maxLength: 11 },
			}),
		sort: blank
			.or(z.enum(SORTS))
			.optional()
			.describe("`deadline` (default): the task that ends soonest comes first. `newest`: the 100 newest. Not used with `q`."),
		cursor: cursor.optional().describe("Where the page begins. The link to the next page has it."),
	}),
	response: html,
	errors: [],
});

export const getTaskPage = contractOf({
	...page,
	path: "/tasks/{id}",
	shared: { ...PAGES, of: "task" },
	operationId: "getTaskPage",
	summary: "Look at a task and its leaderboard",
	description: `Description, rubric, time left, a leaderboard that moves while you watch, and how to submit. Programs read GET /api/public/tasks/{id}. ${MAY_BE_OLD}`,
	params: idParams,
	response: html,
	errors: ["NOT_FOUND"],
});

export const getSitemap = contractOf({
	...page,
	path: "/sitemap.xml",
	operationId: "getSitemap",
	summary: "List the pages for crawlers",
	description: "The start page, the newest open tasks and the documentation, in the form of sitemaps.org.",
	response: { ...html, description: "The sitemap.", contentType: "application/xml" },
	errors: [],
});
