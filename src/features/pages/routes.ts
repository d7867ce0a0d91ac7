import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import type { PageReaders } from "./readers.ts";
import * as service from "./service.ts";

export function createPageEndpoints(read: PageReaders): Endpoint[] {
	return [
		handle(contract.getTasksPage, (ctx, { query: { cursor, ...filter } }) => service.showTasks(ctx, read, { filter, cursor })),
		handle(contract.getTaskPage, (ctx, { params }) => service.showTask(ctx, read, params.id)),
		handle(contract.getSitemap, (ctx) => service.showSitemap(ctx, read)),
	];
}

/** Apart from the others, because its other forms are static files. */
export function createHomeEndpoint(read: PageReaders): Endpoint {
	return handle(contract.getHome, (ctx, { request }) => service.showHome(ctx, read, request));
}
