import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const leaderboardEndpoints: readonly Endpoint[] = [
	handle(contract.getLeaderboard, (ctx, { params, query }) => service.getLeaderboard(ctx, { taskId: params.id, ...query })),
];
