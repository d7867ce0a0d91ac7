import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const pageEndpoints: readonly Endpoint[] = [
	handle(contract.getTasksPage, (ctx, { query: { cursor, ...filter } }) => service.showTasks(ctx, { filter, cursor })),
	handle(contract.getTaskPage, (ctx, { params }) => service.showTask(ctx, params.id)),
	handle(contract.getSitemap, (ctx) => service.showSitemap(ctx)),
];

/** Apart from the others, because its other forms are static files. */
export const homeEndpoint: Endpoint = handle(contract.getHome, (ctx, { request }) => service.showHome(ctx, request));
