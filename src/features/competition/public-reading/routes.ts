import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { showBadge } from "./badge.ts";
import * as contract from "./contract.ts";
import { showJsonFeed, showRssFeed } from "./newest-tasks.ts";
import { getPublicLeaderboard } from "./public-board.ts";
import { getPublicTask, readPublic } from "./public-task.ts";

export const publicReadingVerbs = [readPublic];

export const publicReadingEndpoints: readonly Endpoint[] = [
	handle(contract.getPublicTask, (ctx, { params }) => getPublicTask(ctx, params.id)),
	handle(contract.getPublicLeaderboard, (ctx, { params, query }) => getPublicLeaderboard(ctx, { taskId: params.id, ...query })),
	handle(contract.getJsonFeed, (ctx, { query }) => showJsonFeed(ctx, query.category)),
	handle(contract.getRssFeed, (ctx, { query }) => showRssFeed(ctx, query.category)),
	handle(contract.getBadge, (ctx, { params }) => showBadge(ctx, params.id)),
];
