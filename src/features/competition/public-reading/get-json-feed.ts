import * as z from "zod";
import { TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { category, count, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { taskDetailView } from "../tasks/task-detail.ts";
import {
	describeTerms,
	exampleFeed,
	FEED_DESCRIPTION,
	type Feed,
	feedUrlOf,
	guidOf,
	publishedAtOf,
	readFeed,
	taskUrlOf,
	titleOf,
} from "./feed.ts";
import { CACHED, cutText, MAX_FEED_TASKS, MAY_BE_OLD, PUBLIC_MAX_AGE_SECONDS } from "./rules.ts";

const feedItem = z
	.object({
		id: z.string().describe("Identifies the task for ever: `urn:uuid:` and its id."),
		url: z.url().describe("The task's page."),
		title: z.string().describe("What the poster wants, in one line."),
		content_text: z.string().describe("Budget and deadline, then up to 2,000 characters of the task's description."),
		date_published: timestamp.describe("When the task was published."),
		tags: z.array(z.string()).describe("The task's category."),
		_bounty: z
			.object({
				budget_cents: count.describe("The bounty in cents."),
				deadline: timestamp.describe("When the task closes by itself."),
				eval_mode: taskDetailView.shape.eval_mode,
			})
			.describe("What JSON Feed has no fields for."),
	})
	.meta({ id: "TaskFeedItem", description: "An open task in a feed." });

const taskFeed = z
	.object({
		version: z.literal("https://jsonfeed.org/version/1.1").describe("The version of JSON Feed."),
		title: z.string().describe("What the feed is about."),
		home_page_url: z.url().describe("The page with the same tasks."),
		feed_url: z.url().describe("The URL of this feed."),
		description: z.string().describe("What the feed contains."),
		language: z.literal("en").describe("The language of the platform's own texts."),
		items: z.array(feedItem).max(MAX_FEED_TASKS).describe("Open tasks, newest first."),
	})
	.meta({ id: "TaskFeed", description: "The newest open tasks as a JSON Feed." });

export const getJsonFeed = endpoint({
	method: "get",
	path: "/feeds/tasks.json",
	operationId: "getJsonFeed",
	summary: "Subscribe to new tasks by JSON Feed",
	description: `The ${MAX_FEED_TASKS} newest open tasks as a JSON Feed 1.1. ${MAY_BE_OLD}`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "tasks" },
	query: z.object({ category: category.optional().describe("Only tasks in this category. Case does not matter.") }),
	response: {
		status: 200,
		description: "The feed.",
		schema: taskFeed,
		contentType: "application/feed+json",
		textSchemas: { "application/feed+json": taskFeed },
		...CACHED,
	},
	errors: [],
	page: "guides/public-reading",
	examples: {
		query: { category: TASK.category },
		texts: { "application/feed+json": buildJsonFeed(exampleFeed) },
	},

	async handle(ctx, { query }) {
		const feed = buildJsonFeed(await readFeed(ctx, query.category));
		return new Response(JSON.stringify(feed), { headers: { "Content-Type": "application/feed+json; charset=utf-8" } });
	},
});

function buildJsonFeed(feed: Feed) {
	return {
		version: "https://jsonfeed.org/version/1.1" as const,
		title: titleOf(feed),
		home_page_url: `${feed.baseUrl}/tasks`,
		feed_url: feedUrlOf(feed, "json"),
		description: FEED_DESCRIPTION,
		language: "en" as const,
		items: feed.tasks.map((task) => ({
			id: guidOf(task),
			url: taskUrlOf(feed, task),
			title: task.title,
			content_text: [describeTerms(task), ...(task.description ? [cutText(task.description)] : [])].join("\n\n"),
			date_published: toIso(publishedAtOf(task)),
			tags: [task.category],
			_bounty: { budget_cents: task.budgetCents, deadline: toIso(task.deadline), eval_mode: task.evalMode },
		})),
	};
}
