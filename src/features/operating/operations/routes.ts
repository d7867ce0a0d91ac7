import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { setCeilings } from "./ceilings.ts";
import * as contract from "./contract.ts";
import { listJobs, retryJob } from "./jobs.ts";
import { showMetrics } from "./metrics.ts";
import { readReadiness, showSecurityContact } from "./readiness.ts";
import { readSpend } from "./spend.ts";

export const operationsEndpoints: readonly Endpoint[] = [
	handle(contract.listJobs, (ctx, { query }) => listJobs(ctx, query)),
	handle(contract.retryJob, (ctx, { params, body }) => retryJob(ctx, params.id, body.reason)),
	handle(contract.getSpend, (ctx) => readSpend(ctx)),
	handle(contract.setCeilings, (ctx, { body }) => setCeilings(ctx, body)),
	handle(contract.getMetrics, (ctx, { request }) => showMetrics(ctx, request)),
	handle(contract.getReadiness, (ctx) => readReadiness(ctx)),
	handle(contract.getSecurityContact, (ctx) => showSecurityContact(ctx)),
];
