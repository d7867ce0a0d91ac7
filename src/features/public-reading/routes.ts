import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const publicReadingEndpoints: readonly Endpoint[] = [
	handle(contract.getPublicTask, (ctx, { params }) => service.getPublicTask(ctx, params.id)),
	handle(contract.getPublicLeaderboard, (ctx, { params, query }) => service.getPublicLeaderboard(ctx, { taskId: params.id, ...query })),
	handle(contract.getJsonFeed, (ctx, { query }) => service.showJsonFeed(ctx, query.category)),
	handle(contract.getRssFeed, (ctx, { query }) => service.showRssFeed(ctx, query.category)),
	handle(contract.getBadge, (ctx, { params }) => service.showBadge(ctx, params.id)),
];
