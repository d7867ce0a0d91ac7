import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { getDashboardStats, listDashboardSubmissions, readRank } from "./read-dashboard.ts";

export const dashboardVerbs = [readRank];

export const dashboardEndpoints: readonly Endpoint[] = [
	handle(contract.getDashboardStats, (ctx) => getDashboardStats(ctx)),
	handle(contract.listDashboardSubmissions, (ctx, { query }) => listDashboardSubmissions(ctx, query)),
];
