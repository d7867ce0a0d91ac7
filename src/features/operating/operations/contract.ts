import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { cursorParameter, limitParameter, pageOf } from "../../../http/pagination.ts";
import { actRequest } from "../admin/schemas.ts";
import * as schemas from "./schemas.ts";

const shared = { tags: ["Administration"], auth: "admin", rate: "general" } as const;

export const listJobs = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/jobs",
	operationId: "listJobs",
	summary: "See what waits, runs, is stuck or has failed",
	description:
		"Evaluations of submissions, deliveries to webhooks and runs of images, newest first. Work that has succeeded is not listed.",
	query: z.object({
		state: schemas.jobState.optional().describe("Only jobs in this state."),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: cursorParameter,
	}),
	response: { status: 200, description: "A page of jobs.", schema: pageOf(schemas.jobView, "The jobs, newest first.") },
	errors: [],
});

export const retryJob = contractOf({
	...shared,
	method: "post",
	path: "/api/admin/jobs/{id}/retry",
	operationId: "retryJob",
	summary: "Try a job again now",
	description:
		"A job that waits or is stuck is due now. A failed evaluation or delivery gets a new job. The run of an image is looked at now, with its evaluation.",
	params: schemas.jobParams,
	body: { schema: actRequest, required: true },
	response: { status: 200, description: "The job is due.", schema: schemas.retriedJobView },
	errors: ["NOT_FOUND", "CONFLICT", "WRONG_STATUS", "SUBMISSION_IN_PROGRESS", "NO_ARTIFACT"],
});

export const getSpend = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/spend",
	operationId: "getSpend",
	summary: "See what judging costs",
	description: "By day, by task and by poster, with the ceilings of the deployment.",
	response: { status: 200, description: "What judging has used.", schema: schemas.spendView },
	errors: [],
});

export const setCeilings = contractOf({
	...shared,
	method: "put",
	path: "/api/admin/spend/ceilings",
	operationId: "setCeilings",
	summary: "Change what judging may cost",
	description: "Evaluations that begin 10 seconds later hold the new ceilings. Those that wait for room look again within 5 minutes.",
	body: { schema: schemas.ceilingsRequest, required: true },
	response: { status: 200, description: "The ceilings after the change.", schema: schemas.ceilingsSetView },
	errors: ["CONFLICT"],
});

export const getMetrics = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/metrics",
	operationId: "getMetrics",
	summary: "Read the metrics",
	description: "JSON, or the text format of Prometheus with `Accept: text/plain`.",
	response: {
		status: 200,
		description: "The metrics.",
		schema: schemas.metricsView,
		others: [{ status: 200, description: "The metrics in the text format of Prometheus.", contentType: "text/plain" }],
	},
	errors: [],
});

export const getReadiness = contractOf({
	method: "get",
	path: "/ready",
	operationId: "getReadiness",
	summary: "See whether the service can do its work",
	description: "Checks the database, the bucket, the queue and the level of migrations. `/health` checks nothing and is cheap.",
	tags: ["Documentation"],
	auth: "none",
	rate: "general",
	response: { status: 200, description: "The service is ready.", schema: schemas.readinessView },
	errors: ["NOT_READY"],
});

export const getSecurityContact = contractOf({
	method: "get",
	path: "/.well-known/security.txt",
	operationId: "getSecurityContact",
	summary: "See where to report a vulnerability",
	description: "A file as RFC 9116 describes it. 404 where the deployment has no contact.",
	tags: ["Documentation"],
	auth: "none",
	rate: "general",
	response: { status: 200, description: "The contact.", schema: z.string(), contentType: "text/plain" },
	errors: ["NOT_FOUND"],
});
