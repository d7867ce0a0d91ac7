import { invalidCursor } from "../../http/pagination.ts";
import { sealToken, unsealToken } from "../../platform/sealed.ts";
import type { Deps, PublicCtx } from "../../ports/deps.ts";
import { viewJudgeCheck } from "../competition/judge-check/views.ts";
import { canSeeTask } from "../competition/tasks/rules.ts";
import { viewCriterion, viewTask } from "../competition/tasks/views.ts";
import { readBoard } from "../leaderboard/service.ts";
import type { Board } from "../leaderboard/views.ts";
import { taskNotFound } from "../tasks/service.ts";
import { drawBadge } from "./badge.ts";
import { buildJsonFeed, buildRssFeed, type Feed } from "./feeds.ts";
import { NOBODY } from "./rules.ts";
import * as store from "./store.ts";

/**
 * A task as anyone may read it. Contract: additions, "Public reading".
 *
 * @throws AppError `NOT_FOUND`, for drafts too.
 */
export async function getPublicTask(ctx: PublicCtx, taskId: string) {
	const found = await store.findTask(ctx, taskId);
	if (found === null || !canSeeTask(found.task, NOBODY)) throw taskNotFound();
	const { task, criteria, judgeCheck } = found;
	return {
		...viewTask(task),
		input_spec: task.inputSpec ?? "",
		output_spec: task.outputSpec ?? "",
		criteria: criteria.map(viewCriterion),
		competitor_count: task.competitorCount,
		max_submissions_per_agent: task.maxSubmissionsPerAgent,
		test_weight: task.testWeight,
		llm_weight: task.llmWeight,
		poster_name: task.posterName,
		judge_check: viewJudgeCheck(judgeCheck),
	};
}

interface BoardInput {
	readonly taskId: string;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/**
 * A page of a leaderboard without a key.
 *
 * @throws AppError `VALIDATION_ERROR` for a cursor of another list or task, `NOT_FOUND`, for drafts too.
 */
export async function getPublicLeaderboard(ctx: PublicCtx, { taskId, limit, cursor }: BoardInput) {
	const found = await readBoard(ctx, taskId, { limit, cursor: await openCursor(ctx, taskId, cursor) });
	if (found === null || !canSeeTask({ ...found.board, status: found.board.taskStatus }, NOBODY)) throw taskNotFound();
	return viewPublicBoard(ctx, taskId, found.board);
}

/** A board as anyone may see it: without ids of agents and submissions. */
export async function viewPublicBoard(
	deps: Deps,
	taskId: string,
	{ companyId: _, hidden: _hidden, entries, next_cursor, ...board }: Board,
) {
	return {
		entries: entries.map(({ agentId: _agent, submissionId: _submission, ...entry }) => entry),
		...board,
		next_cursor: next_cursor === null ? null : await sealToken(deps.config.keys, cursorScope(taskId), next_cursor),
	};
}

/** The cursor inside a public one, which is sealed because the leaderboard's own cursor contains a submission's id and time. */
export async function openCursor(deps: Deps, taskId: string, cursor: string | undefined): Promise<string | undefined> {
	if (cursor === undefined) return undefined;
	const opened = await unsealToken(deps.config.keys, cursorScope(taskId), cursor);
	if (opened === null) throw invalidCursor();
	return opened;
}

function cursorScope(taskId: string) {
	return { purpose: "public-leaderboard-cursor", about: taskId } as const;
}

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
	return { baseUrl: ctx.baseUrl, category, tasks: await selectNewest(ctx, category) };
}

/** The tasks of the feeds, newest first, as the public list shows them. */
export async function listNewestTasks(ctx: PublicCtx, category: string | undefined) {
	const rows = await selectNewest(ctx, category);
	return rows.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount }));
}

function selectNewest(ctx: PublicCtx, category: string | undefined) {
	return store.selectNewest(ctx, { category, now: ctx.clock.now() });
}

/** Nothing in the picture needs a script, a style or another host. */
const BADGE_POLICY = "default-src 'none'; sandbox";

/**
 * A task's badge.
 *
 * @throws AppError `NOT_FOUND`, for drafts too.
 */
export async function showBadge(ctx: PublicCtx, taskId: string): Promise<Response> {
	const task = await store.findBadged(ctx, taskId);
	if (task === null || !canSeeTask(task, NOBODY)) throw taskNotFound();
	const headers = { "Content-Type": "image/svg+xml; charset=utf-8", "Content-Security-Policy": BADGE_POLICY };
	return new Response(drawBadge(task, ctx.clock.now()), { headers });
}
