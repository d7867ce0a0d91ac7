import { type Endpoint, handle } from "../../http/endpoint.ts";
import { cloneTask } from "./clone.ts";
import * as contract from "./contract.ts";
import * as drafts from "./drafts.ts";
import { listOpenTasks, listOwnTasks, listPublicTasks } from "./lists.ts";
import * as service from "./service.ts";
import { downloadTestSuite, uploadTestSuite } from "./test-suite.ts";

export const taskEndpoints: readonly Endpoint[] = [
	handle(contract.createTask, (ctx, { body }) => drafts.createTask(ctx, body)),
	handle(contract.updateTask, (ctx, { params, body }) => drafts.updateTask(ctx, params.id, body)),
	handle(contract.deleteTask, (ctx, { params }) => drafts.deleteTask(ctx, params.id)),
	handle(contract.cloneTask, (ctx, { params, body }) => cloneTask(ctx, params.id, body)),
	handle(contract.extendTask, (ctx, { params, body }) => service.extendTask(ctx, params.id, body.deadline)),
	handle(contract.replaceRubric, (ctx, { params, body }) => drafts.replaceRubric(ctx, params.id, body.criteria)),
	handle(contract.lintTask, (ctx, { params }) => drafts.lintTask(ctx, params.id)),
	handle(contract.uploadTestSuite, (ctx, { params, request }) => uploadTestSuite(ctx, params.id, request)),
	handle(contract.downloadTestSuite, (ctx, { params }) => downloadTestSuite(ctx, params.id)),
	handle(contract.publishTask, (ctx, { params }) => service.publishTask(ctx, params.id)),
	handle(contract.closeTask, (ctx, { params }) => service.closeTask(ctx, params.id)),
	handle(contract.listTasks, (ctx, { query }) => (query.owner === "me" ? listOwnTasks(ctx, query) : listOpenTasks(ctx, query))),
	handle(contract.listPublicTasks, (ctx, { query }) => listPublicTasks(ctx, query)),
	handle(contract.getTask, (ctx, { params }) => service.getTask(ctx, params.id)),
];
