import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { quickSubmit } from "./quick-submit.ts";
import * as service from "./service.ts";

export const submissionEndpoints: readonly Endpoint[] = [
	handle(contract.quickSubmit, (ctx, { params, headers, body }) =>
		quickSubmit(ctx, { taskId: params.id, body, idempotencyKey: headers["idempotency-key"] }),
	),
	handle(contract.listOwnSubmissions, (ctx, { query }) => service.listOwnSubmissions(ctx, query)),
	handle(contract.getSubmission, (ctx, { params }) => service.getSubmission(ctx, params.id)),
	handle(contract.getSubmissionStatus, (ctx, { params }) => service.getSubmissionStatus(ctx, params.id)),
	handle(contract.getSubmissionDetails, (ctx, { params }) => service.getSubmissionDetails(ctx, params.id)),
	handle(contract.listTaskSubmissions, (ctx, { params, query }) => service.listTaskSubmissions(ctx, params.id, query)),
];
