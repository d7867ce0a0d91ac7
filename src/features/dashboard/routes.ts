import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const dashboardEndpoints: readonly Endpoint[] = [
	handle(contract.getDashboardStats, (ctx) => service.getDashboardStats(ctx)),
	handle(contract.listDashboardSubmissions, (ctx, { query }) => service.listDashboardSubmissions(ctx, query)),
];
