import * as z from "zod";
import {
	CACHED,
	cutText,
	escapeMarkup,
	MAX_FEED_TASKS,
	MAY_BE_OLD,
	PUBLIC_MAX_AGE_SECONDS,
} from "../../core/competition/public-reading/rules.ts";
import { TASK } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { category } from "../../http/fields.ts";
import { toHttpDate } from "../../platform/clock.ts";
import {
	describeTerms,
	exampleFeed,
	FEED_DESCRIPTION,
	type Feed,
	type FeedTask,
	feedUrlOf,
	guidOf,
	publishedAtOf,
	readFeed,
	taskUrlOf,
	titleOf,
} from "./feed.ts";

export const getRssFeed = endpoint({
	method: "get",
	path: "/feeds/tasks.xml",
	operationId: "getRssFeed",
	owner: "pages",
	summary: "Subscribe to new tasks by RSS",
	description: `The ${MAX_FEED_TASKS} newest open tasks as RSS 2.0. ${MAY_BE_OLD}`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "tasks" },
	query: z.object({ category: category.optional().describe("Only tasks in this category. Case does not matter.") }),
	response: {
		status: 200,
		description: "The feed.",
		schema: z.string(),
		contentType: "application/rss+xml",
		textSchemas: { "application/rss+xml": z.string() },
		...CACHED,
	},
	errors: [],
	page: "guides/public-reading",
	examples: {
		query: { category: TASK.category },
		texts: { "application/rss+xml": buildRssFeed(exampleFeed) },
	},

	async handle(ctx, { query }) {
		const feed = buildRssFeed(await readFeed(ctx, query.category));
		return new Response(feed, { headers: { "Content-Type": "application/rss+xml; charset=utf-8" } });
	},
});

function buildRssFeed(feed: Feed): string {
	const element = (name: string, text: string, attributes = "") => `<${name}${attributes}>${escapeMarkup(text)}</${name}>`;
	const item = (task: FeedTask) =>
		[
			"<item>",
			element("title", task.title),
			element("link", taskUrlOf(feed, task)),
			element("guid", guidOf(task), ' isPermaLink="false"'),
			element("pubDate", toHttpDate(publishedAtOf(task))),
			element("category", task.category),
			element("description", describeInHtml(task)),
			"</item>",
		].join("\n");
	return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
${element("title", titleOf(feed))}
${element("link", `${feed.baseUrl}/tasks`)}
${element("description", FEED_DESCRIPTION)}
${element("language", "en")}
<atom:link href="${escapeMarkup(feedUrlOf(feed))}" rel="self" type="application/rss+xml"/>
${feed.tasks.map(item).join("\n")}
</channel>
</rss>
`;
}

/** RSS readers treat a description as HTML. So the poster's text is escaped for HTML first, and then the whole for XML. */
function describeInHtml(task: FeedTask): string {
	const text = task.description ? `<p>${escapeMarkup(cutText(task.description)).replaceAll("\n", "<br>")}</p>` : "";
	return `<p>${describeTerms(task)}</p>${text}`;
}
