import { type Endpoint, handle, Reply } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";
import { downloadTestSuite, uploadTestSuite } from "./test-suite.ts";

export const taskEndpoints: readonly Endpoint[] = [
	handle(contract.createTask, (ctx, { body }) => service.createTask(ctx, body)),
	handle(contract.updateTask, (ctx, { params, body }) => service.updateTask(ctx, params.id, body)),
	handle(contract.replaceRubric, (ctx, { params, body }) => service.replaceRubric(ctx, params.id, body.criteria)),
	handle(contract.lintTask, (ctx, { params }) => service.lintTask(ctx, params.id)),
	handle(contract.uploadTestSuite, (ctx, { params, request }) => uploadTestSuite(ctx, params.id, request)),
	handle(contract.downloadTestSuite, (ctx, { params }) => downloadTestSuite(ctx, params.id)),
	handle(contract.publishTask, (ctx, { params }) => service.publishTask(ctx, params.id)),
	handle(contract.closeTask, (ctx, { params }) => service.closeTask(ctx, params.id)),
	handle(contract.listTasks, (ctx, { query }) => service.listTasks(ctx, query)),
	handle(contract.listPublicTasks, async (ctx, { query }) => {
		return new Reply(await service.listPublicTasks(ctx, query), { "Cache-Control": "public, max-age=10" });
	}),
	handle(contract.getTask, (ctx, { params }) => service.getTask(ctx, params.id)),
];
