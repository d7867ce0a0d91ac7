import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "../../leaderboard/contract.ts";
import * as publicContract from "../../public-reading/contract.ts";
import { getLeaderboard, getPublicLeaderboard, readBoard } from "./read-board.ts";

export const leaderboardVerbs = [readBoard];

export const leaderboardEndpoints: readonly Endpoint[] = [
	handle(contract.getLeaderboard, (ctx, { params, query }) => getLeaderboard(ctx, { taskId: params.id, ...query })),
	handle(publicContract.getPublicLeaderboard, (ctx, { params, query }) => getPublicLeaderboard(ctx, { taskId: params.id, ...query })),
];
