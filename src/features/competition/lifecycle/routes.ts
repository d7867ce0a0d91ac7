import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "../tasks/contract.ts";
import { close, closeTask } from "./close-task.ts";
import { extend, extendTask } from "./extend-task.ts";
import { publish, publishTask } from "./publish-task.ts";
import { settleWhenDue } from "./settle.ts";

export const lifecycleVerbs = [publish, extend, close];

export const lifecycleDuties = [settleWhenDue];

export const lifecycleEndpoints: readonly Endpoint[] = [
	handle(contract.publishTask, (ctx, { params }) => publishTask(ctx, params.id)),
	handle(contract.extendTask, (ctx, { params, body }) => extendTask(ctx, params.id, body.deadline)),
	handle(contract.closeTask, (ctx, { params }) => closeTask(ctx, params.id)),
];
