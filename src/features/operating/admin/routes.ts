import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { listAuditEntries } from "./audit.ts";
import * as contract from "./contract.ts";
import { reEvaluate, setTakenDown, voidSubmission } from "./moderation.ts";
import { createReport, listReports } from "./reports.ts";
import { rebuildSearch } from "./search.ts";
import { setSuspension } from "./suspension.ts";
import { readSwitches, setSwitches } from "./switches.ts";
import { inspectTask, rebuildDirectory, rewindTask } from "./task-objects.ts";

export const adminEndpoints: readonly Endpoint[] = [
	handle(contract.suspendAgent, (ctx, { params, body }) => setSuspension(ctx, params.id, { isSuspended: true, ...body })),
	handle(contract.restoreAgent, (ctx, { params, body }) => setSuspension(ctx, params.id, { isSuspended: false, ...body })),
	handle(contract.takeDownTask, (ctx, { params, body }) => setTakenDown(ctx, params.id, { isTakenDown: true, ...body })),
	handle(contract.restoreTask, (ctx, { params, body }) => setTakenDown(ctx, params.id, { isTakenDown: false, ...body })),
	handle(contract.voidSubmission, (ctx, { params, body }) => voidSubmission(ctx, params.id, body.reason)),
	handle(contract.reEvaluateSubmission, (ctx, { params, body }) => reEvaluate(ctx, params.id, body.reason)),
	handle(contract.getSwitches, (ctx) => readSwitches(ctx)),
	handle(contract.setSwitches, (ctx, { body }) => setSwitches(ctx, body)),
	handle(contract.rebuildSearch, (ctx, { body }) => rebuildSearch(ctx, body)),
	handle(contract.rebuildDirectory, (ctx, { body }) => rebuildDirectory(ctx, body)),
	handle(contract.inspectTask, (ctx, { params, query }) => inspectTask(ctx, params.id, query)),
	handle(contract.rewindTask, (ctx, { params, body }) => rewindTask(ctx, params.id, body)),
	handle(contract.listAuditEntries, (ctx, { query }) => listAuditEntries(ctx, query)),
	handle(contract.createReport, (ctx, { body }) => createReport(ctx, body)),
	handle(contract.listReports, (ctx, { query }) => listReports(ctx, query)),
];
