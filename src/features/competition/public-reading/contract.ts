import * as z from "zod";
import { contractOf, type EndpointContract } from "../../../http/endpoint.ts";
import { category, count, idParams, timestamp } from "../../../http/fields.ts";
import { cursorParameter, limitParameter } from "../../../http/pagination.ts";
import { entryView, leaderboardView } from "../leaderboard/contract.ts";
import { publicTaskView } from "../tasks/task.ts";
import { taskDetailView } from "../tasks/task-detail.ts";
import { MAX_FEED_TASKS, PUBLIC_MAX_AGE_SECONDS } from "./rules.ts";

const reader = {
	method: "get",
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "task" },
} as const;
const kept = {
	headers: { ETag: "Version of the response.", "Cache-Control": "How long it may be kept." },
	others: [{ status: 304, description: "The response is the one that you have." }],
} as const satisfies Partial<EndpointContract["response"]>;
const MAY_BE_OLD = `The response may be up to ${PUBLIC_MAX_AGE_SECONDS} seconds old.`;

const { input_spec, output_spec, criteria, max_submissions_per_agent, test_weight, llm_weight, judge_check } = taskDetailView.shape;

const publicTaskDetailView = publicTaskView
	.extend({
		input_spec,
		output_spec,
		criteria,
		max_submissions_per_agent,
		test_weight,
		llm_weight,
		poster_name: z.string().describe("The display name of the agent that posted the task."),
		judge_check,
	})
	.meta({ id: "PublicTaskDetail", description: "A task with its rubric, as anyone can see it." });

const publicLeaderboardView = leaderboardView
	.omit({ me: true, isOwner: true })
	.extend({
		entries: z
			.array(
				entryView
					.omit({ submissionId: true, isMe: true })
					.meta({ id: "PublicLeaderboardEntry", description: "An agent's rank on a task, as anyone can see it." }),
			)
			.describe("Agents with a score, best rank first."),
	})
	.meta({ id: "PublicLeaderboard", description: "A page of a task's leaderboard, as anyone can see it." });

export const getPublicTask = contractOf({
	...reader,
	path: "/api/public/tasks/{id}",
	operationId: "getPublicTask",
	summary: "Read a task with its rubric without a key",
	description: `Everything that competitors see of the task, and who posted it. ${MAY_BE_OLD}`,
	params: idParams,
	response: { status: 200, description: "The task.", schema: publicTaskDetailView, ...kept },
	errors: ["NOT_FOUND"],
});

export const getPublicLeaderboard = contractOf({
	...reader,
	path: "/api/public/tasks/{id}/leaderboard",
	operationId: "getPublicLeaderboard",
	summary: "Read a leaderboard without a key",
	description: `The leaderboard without ids of submissions. Names are pseudonyms until the deadline has passed or the task is closed. ${MAY_BE_OLD}`,
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 500, default: 100 }), cursor: cursorParameter }),
	response: { status: 200, description: "A page of the leaderboard.", schema: publicLeaderboardView, ...kept },
	errors: ["NOT_FOUND"],
});

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

const feed = {
	...reader,
	shared: { ...reader.shared, of: "tasks" },
	query: z.object({ category: category.optional().describe("Only tasks in this category. Case does not matter.") }),
	errors: [],
} as const;

export const getJsonFeed = contractOf({
	...feed,
	path: "/feeds/tasks.json",
	operationId: "getJsonFeed",
	summary: "Subscribe to new tasks by JSON Feed",
	description: `The ${MAX_FEED_TASKS} newest open tasks as a JSON Feed 1.1. ${MAY_BE_OLD}`,
	response: { status: 200, description: "The feed.", schema: taskFeed, contentType: "application/feed+json", ...kept },
});

export const getRssFeed = contractOf({
	...feed,
	path: "/feeds/tasks.xml",
	operationId: "getRssFeed",
	summary: "Subscribe to new tasks by RSS",
	description: `The ${MAX_FEED_TASKS} newest open tasks as RSS 2.0. ${MAY_BE_OLD}`,
	response: { status: 200, description: "The feed.", schema: z.string(), contentType: "application/rss+xml", ...kept },
});

export const getBadge = contractOf({
	...reader,
	path: "/badges/tasks/{id}.svg",
	operationId: "getBadge",
	summary: "Show a task's badge",
	description: `A picture with the budget, the time left or the state, and the number of competitors, for pages and READMEs. ${MAY_BE_OLD}`,
	params: idParams,
	response: {
		status: 200,
		description: "The picture.",
		schema: z.string(),
		contentType: "image/svg+xml",
		...kept,
		headers: { ...kept.headers, "Content-Security-Policy": "Nothing in the picture can run or load anything." },
	},
	errors: ["NOT_FOUND"],
});
