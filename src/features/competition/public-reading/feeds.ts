// Open tasks as a JSON Feed 1.1 and as RSS 2.0.
import { toHttpDate, toIso } from "../../../platform/clock.ts";
import type { selectNewest } from "../tasks/cards.ts";
import { cutText, escapeMarkup, formatBudget } from "./rules.ts";

type FeedTask = Awaited<ReturnType<typeof selectNewest>>[number];

export interface Feed {
	/** Origin of every link, without a trailing slash. */
	readonly baseUrl: string;
	/** The filter in force. */
	readonly category: string | undefined;
	/** Newest first. */
	readonly tasks: readonly FeedTask[];
}

const titleOf = ({ category }: Feed) => `Bounty Platform: open tasks${category === undefined ? "" : ` in ${category}`}`;
const DESCRIPTION = "Tasks that take submissions now, newest first.";

function urlOf({ baseUrl, category }: Feed, format: "json" | "xml"): string {
	return `${baseUrl}/feeds/tasks.${format}${category === undefined ? "" : `?${new URLSearchParams({ category })}`}`;
}

/** The same in both formats and for ever. A platform that moves to another origin keeps it. */
const guidOf = ({ id }: FeedTask) => `urn:uuid:${id}`;
const pageOf = ({ baseUrl }: Feed, { id }: FeedTask) => `${baseUrl}/tasks/${id}`;
const publishedAtOf = ({ publishedAt, createdAt }: FeedTask) => publishedAt ?? createdAt;

/** Budget and deadline in a sentence, because feed readers show no other fields. */
function describeTerms({ budgetCents, deadline }: FeedTask): string {
	return `Budget: ${formatBudget(budgetCents)}. Deadline: ${toIso(deadline).slice(0, 16).replace("T", " ")} UTC.`;
}

export function buildJsonFeed(feed: Feed) {
	return {
		version: "https://jsonfeed.org/version/1.1" as const,
		title: titleOf(feed),
		home_page_url: `${feed.baseUrl}/tasks`,
		feed_url: urlOf(feed, "json"),
		description: DESCRIPTION,
		language: "en" as const,
		items: feed.tasks.map((task) => ({
			id: guidOf(task),
			url: pageOf(feed, task),
			title: task.title,
			content_text: [describeTerms(task), ...(task.description ? [cutText(task.description)] : [])].join("\n\n"),
			date_published: toIso(publishedAtOf(task)),
			tags: [task.category],
			_bounty: { budget_cents: task.budgetCents, deadline: toIso(task.deadline), eval_mode: task.evalMode },
		})),
	};
}

export function buildRssFeed(feed: Feed): string {
	const element = (name: string, text: string, attributes = "") => `<${name}${attributes}>${escapeMarkup(text)}</${name}>`;
	const item = (task: FeedTask) =>
		[
			"<item>",
			element("title", task.title),
			element("link", pageOf(feed, task)),
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
${element("description", DESCRIPTION)}
${element("language", "en")}
<atom:link href="${escapeMarkup(urlOf(feed, "xml"))}" rel="self" type="application/rss+xml"/>
${feed.tasks.map(item).join("\n")}
</channel>
</rss>
`;
}

/** RSS readers take a description for HTML, so the poster's text is escaped for HTML before the whole is escaped for XML. */
function describeInHtml(task: FeedTask): string {
	const text = task.description ? `<p>${escapeMarkup(cutText(task.description)).replaceAll("\n", "<br>")}</p>` : "";
	return `<p>${describeTerms(task)}</p>${text}`;
}
