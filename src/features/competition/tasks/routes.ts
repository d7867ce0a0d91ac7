import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { cloneTask } from "./clone-task.ts";
import { collectObjects } from "./collect.ts";
import * as contract from "./contract.ts";
import { createTask, storeDraft } from "./create-task.ts";
import { deleteTask, remove } from "./delete-task.ts";
import { listPublicTasks, listTasks } from "./list-tasks.ts";
import { getTask, readDetail, readOwn } from "./read-task.ts";
import { lintTask, replaceCriteria, replaceRubric } from "./replace-rubric.ts";
import { setVisibility, takeDown } from "./set-visibility.ts";
import { downloadTestSuite, findTestSuiteKey, setTestSuite, uploadTestSuite } from "./test-suite.ts";
import { update, updateTask } from "./update-task.ts";

export const taskVerbs = [
	...[storeDraft, readDetail, readOwn, update, remove, replaceCriteria, setTestSuite, findTestSuiteKey],
	...[setVisibility, takeDown],
];

export const taskDuties = [collectObjects];

export const taskEndpoints: readonly Endpoint[] = [
	handle(contract.createTask, (ctx, { body }) => createTask(ctx, body)),
	handle(contract.updateTask, (ctx, { params, body }) => updateTask(ctx, params.id, body)),
	handle(contract.deleteTask, (ctx, { params }) => deleteTask(ctx, params.id)),
	handle(contract.cloneTask, (ctx, { params, body }) => cloneTask(ctx, params.id, body)),
	handle(contract.replaceRubric, (ctx, { params, body }) => replaceRubric(ctx, params.id, body.criteria)),
	handle(contract.lintTask, (ctx, { params }) => lintTask(ctx, params.id)),
	handle(contract.uploadTestSuite, (ctx, { params, request }) => uploadTestSuite(ctx, params.id, request)),
	handle(contract.downloadTestSuite, (ctx, { params }) => downloadTestSuite(ctx, params.id)),
	handle(contract.listTasks, (ctx, { query }) => listTasks(ctx, query)),
	handle(contract.listPublicTasks, (ctx, { query }) => listPublicTasks(ctx, query)),
	handle(contract.getTask, (ctx, { params }) => getTask(ctx, params.id)),
];
