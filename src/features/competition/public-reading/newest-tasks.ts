// The newest open tasks: as feeds, and as pages list them.
import type { PublicCtx } from "../../../ports/deps.ts";
import { selectNewest } from "../tasks/cards.ts";
import { viewTask } from "../tasks/task.ts";
import { buildJsonFeed, buildRssFeed, type Feed } from "./feeds.ts";
import { MAX_FEED_TASKS } from "./rules.ts";

/** The newest open tasks as a JSON Feed. */
export async function showJsonFeed(ctx: PublicCtx, category: string | undefined): Promise<Response> {
	const feed = buildJsonFeed(await readFeed(ctx, category));
	return new Response(JSON.stringify(feed), { headers: { "Content-Type": "application/feed+json; charset=utf-8" } });
}

/** The newest open tasks as RSS. */
export async function showRssFeed(ctx: PublicCtx, category: string | undefined): Promise<Response> {
	const feed = buildRssFeed(await readFeed(ctx, category));
	return new Response(feed, { headers: { "Content-Type": "application/rss+xml; charset=utf-8" } });
}

async function readFeed(ctx: PublicCtx, category: string | undefined): Promise<Feed> {
	return { baseUrl: ctx.baseUrl, category, tasks: await readNewest(ctx, category) };
}

/** The tasks of the feeds, newest first, as the public list shows them. */
export async function listNewestTasks(ctx: PublicCtx, category: string | undefined) {
	const rows = await readNewest(ctx, category);
	return rows.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount }));
}

function readNewest(ctx: PublicCtx, category: string | undefined) {
	return selectNewest(ctx, { category, now: ctx.clock.now(), limit: MAX_FEED_TASKS });
}
