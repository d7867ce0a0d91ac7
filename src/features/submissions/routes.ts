import { type Endpoint, handle } from "../../http/endpoint.ts";
import { prefersCsv } from "../../http/negotiation.ts";
import { listSubmissionFiles, readStoredWork, readSubmissionFile } from "../competition/submissions/artifact-files.ts";
import * as contract from "../competition/submissions/contract.ts";
import { exportTask } from "./export.ts";
import { quickSubmit } from "./quick-submit.ts";
import { requestReEvaluation } from "./re-evaluate.ts";
import * as received from "./received.ts";
import * as service from "./service.ts";
import * as uploads from "./uploads.ts";

export const submissionEndpoints: readonly Endpoint[] = [
	handle(contract.quickSubmit, (ctx, { params, headers, body }) =>
		quickSubmit(ctx, { taskId: params.id, body, idempotencyKey: headers["idempotency-key"] }),
	),
	handle(contract.createSubmission, (ctx, { params, body }) => uploads.createSubmission(ctx, params.id, body)),
	handle(contract.uploadArtifact, (ctx, { params, request }) => uploads.uploadArtifact(ctx, params.id, request)),
	handle(contract.putArtifact, (ctx, { params, request }) => uploads.uploadToSignedUrl(ctx, params.id, request)),
	handle(contract.getArtifact, (ctx, { params }) => uploads.downloadArtifact(ctx, params.id)),
	handle(contract.refreshUploadUrl, (ctx, { params }) => uploads.refreshUploadUrl(ctx, params.id)),
	handle(contract.completeSubmission, (ctx, { params }) => uploads.completeSubmission(ctx, params.id)),
	handle(contract.requestReEvaluation, (ctx, { params }) => requestReEvaluation(ctx, params.id)),
	handle(contract.listOwnSubmissions, (ctx, { query }) => service.listOwnSubmissions(ctx, query)),
	handle(contract.getSubmission, (ctx, { params }) => service.getSubmission(ctx, params.id)),
	handle(contract.getSubmissionStatus, (ctx, { params }) => service.getSubmissionStatus(ctx, params.id)),
	handle(contract.getSubmissionDetails, (ctx, { params }) => service.getSubmissionDetails(ctx, params.id)),
	handle(contract.listEvaluations, (ctx, { params, query }) => service.listEvaluations(ctx, params.id, query)),
	handle(contract.listSubmissionFiles, (ctx, { params, query }) => listSubmissionFiles(ctx, () => readStoredWork(ctx, params.id), query)),
	handle(contract.readSubmissionFile, async (ctx, { params }) =>
		readSubmissionFile(ctx, await readStoredWork(ctx, params.id), params.path),
	),
	handle(contract.listTaskSubmissions, async (ctx, { params, query, headers }) =>
		prefersCsv(headers.accept)
			? received.exportTaskSubmissions(ctx, params.id, query)
			: received.listTaskSubmissions(ctx, params.id, query),
	),
	handle(contract.exportTask, (ctx, { params, query }) => exportTask(ctx, params.id, query.format)),
];
