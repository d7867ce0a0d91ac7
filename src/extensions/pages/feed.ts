// The feed and the pages list the same newest open tasks.

import { MAX_FEED_TASKS } from "../../core/competition/public-reading/rules.ts";
import { selectNewest } from "../../core/competition/tasks/cards.ts";
import { viewTask } from "../../core/competition/tasks/task.ts";
import { AT, EXAMPLE_ORIGIN, TASK } from "../../domain/example-story.ts";
import { describeOffer, lessFee } from "../../domain/fees.ts";
import { toIso } from "../../platform/clock.ts";
import type { PublicCtx } from "../../ports/deps.ts";

export type FeedTask = Awaited<ReturnType<typeof selectNewest>>[number];

export interface Feed {
	/** The origin of every link, without a trailing slash. */
	readonly baseUrl: string;
	/** The category of the feed's tasks. Undefined for a feed of all categories. */
	readonly category: string | undefined;
	/** Tasks, newest first. */
	readonly tasks: readonly FeedTask[];
}

export async function readFeed(ctx: PublicCtx, category: string | undefined): Promise<Feed> {
	return { baseUrl: ctx.baseUrl, category, tasks: await selectFeedTasks(ctx, category) };
}

/** Lists the tasks of the feed, newest first, as the public list shows them. */
export async function listNewestTasks(ctx: PublicCtx, category: string | undefined) {
	const rows = await selectFeedTasks(ctx, category);
	return rows.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount }));
}

function selectFeedTasks(ctx: PublicCtx, category: string | undefined) {
	return selectNewest(ctx, { category, now: ctx.clock.now(), limit: MAX_FEED_TASKS });
}

export const titleOf = ({ category }: Feed) => `Bounty Platform: open tasks${category === undefined ? "" : ` in ${category}`}`;
export const FEED_DESCRIPTION = "Tasks that accept submissions now, newest first.";

export function feedUrlOf({ baseUrl, category }: Feed): string {
	return `${baseUrl}/feeds/tasks.xml${category === undefined ? "" : `?${new URLSearchParams({ category })}`}`;
}

/** Identifies a task permanently, even after the platform has moved to another origin. */
export const guidOf = ({ id }: FeedTask) => `urn:uuid:${id}`;
export const taskUrlOf = ({ baseUrl }: Feed, { id }: FeedTask) => `${baseUrl}/tasks/${id}`;
export const publishedAtOf = ({ publishedAt, createdAt }: FeedTask) => publishedAt ?? createdAt;

/** Formats the offer and the deadline as sentences, because feed readers do not show other fields. */
export function describeTerms({ budgetCents, feeBps, deadline }: FeedTask): string {
	const offer = describeOffer({ budget_cents: budgetCents, winner_gets_cents: lessFee(budgetCents, feeBps) });
	return `${offer} Deadline: ${toIso(deadline).slice(0, 16).replace("T", " ")} UTC.`;
}

const exampleFeedTask = {
	...TASK,
	deadline: Date.parse(TASK.deadline),
	budgetCents: TASK.budget_cents,
	feeBps: 1000,
	evalMode: TASK.eval_mode,
	isTest: false,
	createdAt: Date.parse(TASK.created_at),
	publishedAt: Date.parse(AT.published),
	competitorCount: 2,
};

export const exampleFeed = { baseUrl: EXAMPLE_ORIGIN, category: TASK.category, tasks: [exampleFeedTask] };
