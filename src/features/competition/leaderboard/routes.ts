import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { getLeaderboard, readBoard } from "./read-board.ts";

export const leaderboardVerbs = [readBoard];

export const leaderboardEndpoints: readonly Endpoint[] = [
	handle(contract.getLeaderboard, (ctx, { params, query }) => getLeaderboard(ctx, { taskId: params.id, ...query })),
];
