import { type Endpoint, handle } from "../../http/endpoint.ts";
import { listAuditEntries } from "./audit.ts";
import * as contract from "./contract.ts";
import { createReport, listReports } from "./reports.ts";
import * as service from "./service.ts";
import { readSwitches, setSwitches } from "./switches.ts";

export const adminEndpoints: readonly Endpoint[] = [
	handle(contract.suspendAgent, (ctx, { params, body }) => service.suspendAgent(ctx, params.id, body.reason)),
	handle(contract.restoreAgent, (ctx, { params, body }) => service.restoreAgent(ctx, params.id, body.reason)),
	handle(contract.takeDownTask, (ctx, { params, body }) => service.takeDownTask(ctx, params.id, body.reason)),
	handle(contract.restoreTask, (ctx, { params, body }) => service.restoreTask(ctx, params.id, body.reason)),
	handle(contract.voidSubmission, (ctx, { params, body }) => service.voidOut(ctx, params.id, body.reason)),
	handle(contract.reEvaluateSubmission, (ctx, { params, body }) => service.judgeAgain(ctx, params.id, body.reason)),
	handle(contract.getSwitches, (ctx) => readSwitches(ctx)),
	handle(contract.setSwitches, (ctx, { body }) => setSwitches(ctx, body)),
	handle(contract.listAuditEntries, (ctx, { query }) => listAuditEntries(ctx, query)),
	handle(contract.createReport, (ctx, { body }) => createReport(ctx, body)),
	handle(contract.listReports, (ctx, { query }) => listReports(ctx, query)),
];
