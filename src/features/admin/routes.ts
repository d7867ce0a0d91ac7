import { type Endpoint, handle } from "../../http/endpoint.ts";
import { listAuditEntries } from "./audit.ts";
import * as contract from "./contract.ts";
import * as moderation from "./moderation.ts";
import { createReport, listReports, seesInObjects, seesInTables } from "./reports.ts";
import { rebuildSearch } from "./search.ts";
import * as service from "./service.ts";
import { setSuspension } from "./suspension.ts";
import { readSwitches, setSwitches } from "./switches.ts";
import { inspectTask, rebuildDirectory, rewindTask } from "./task-objects.ts";

export const adminEndpoints: readonly Endpoint[] = [
	handle(contract.suspendAgent, (ctx, { params, body }) => service.suspendAgent(ctx, params.id, body.reason)),
	handle(contract.restoreAgent, (ctx, { params, body }) => service.restoreAgent(ctx, params.id, body.reason)),
	handle(contract.takeDownTask, (ctx, { params, body }) => service.takeDownTask(ctx, params.id, body.reason)),
	handle(contract.restoreTask, (ctx, { params, body }) => service.restoreTask(ctx, params.id, body.reason)),
	handle(contract.voidSubmission, (ctx, { params, body }) => service.voidOut(ctx, params.id, body.reason)),
	handle(contract.reEvaluateSubmission, (ctx, { params, body }) => service.judgeAgain(ctx, params.id, body.reason)),
	handle(contract.getSwitches, (ctx) => readSwitches(ctx)),
	handle(contract.setSwitches, (ctx, { body }) => setSwitches(ctx, body)),
	handle(contract.rebuildSearch, (ctx, { body }) => rebuildSearch(ctx, body)),
	handle(contract.rebuildDirectory, (ctx, { body }) => rebuildDirectory(ctx, body)),
	handle(contract.inspectTask, (ctx, { params, query }) => inspectTask(ctx, params.id, query)),
	handle(contract.rewindTask, (ctx, { params, body }) => rewindTask(ctx, params.id, body)),
	handle(contract.listAuditEntries, (ctx, { query }) => listAuditEntries(ctx, query)),
	handle(contract.createReport, (ctx, { body }) => createReport(ctx, body, seesInTables)),
	handle(contract.listReports, (ctx, { query }) => listReports(ctx, query)),
];

/** Endpoints of competitions that live in Task objects. */
export const adminObjectEndpoints: readonly Endpoint[] = [
	handle(contract.suspendAgent, (ctx, { params, body }) => setSuspension(ctx, params.id, { isSuspended: true, ...body })),
	handle(contract.restoreAgent, (ctx, { params, body }) => setSuspension(ctx, params.id, { isSuspended: false, ...body })),
	handle(contract.takeDownTask, (ctx, { params, body }) => moderation.setTakenDown(ctx, params.id, { isTakenDown: true, ...body })),
	handle(contract.restoreTask, (ctx, { params, body }) => moderation.setTakenDown(ctx, params.id, { isTakenDown: false, ...body })),
	handle(contract.voidSubmission, (ctx, { params, body }) => moderation.voidSubmission(ctx, params.id, body.reason)),
	handle(contract.reEvaluateSubmission, (ctx, { params, body }) => moderation.reEvaluate(ctx, params.id, body.reason)),
	handle(contract.createReport, (ctx, { body }) => createReport(ctx, body, seesInObjects)),
];
