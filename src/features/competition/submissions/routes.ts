import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { prefersCsv } from "../../../http/negotiation.ts";
import { listSubmissionFiles, readSubmissionFile } from "./artifact-files.ts";
import { complete, completeSubmission, refuseArtifact } from "./complete-submission.ts";
import * as contract from "./contract.ts";
import { exportTask, readExportPage } from "./export-task.ts";
import { listOwn, listOwnSubmissions } from "./own-list.ts";
import { admit, quickSubmit, submit } from "./quick-submit.ts";
import { getSubmission, getSubmissionDetails, getSubmissionStatus, readShown, readStatus } from "./read-submission.ts";
import { readWork } from "./read-work.ts";
import { exportTaskSubmissions, listReceived, listTaskSubmissions } from "./received-list.ts";
import { createSubmission, register } from "./register-submission.ts";
import { forgetReplies } from "./replies.ts";
import { hasSubmission } from "./reservations.ts";
import * as uploads from "./upload-artifact.ts";
import { voidSubmission } from "./void-submission.ts";

const { readArtifactKey, readUploadable, readUploadEnd, recordArtifact } = uploads;

export const submissionVerbs = [
	...[admit, submit, register, readUploadable, recordArtifact, complete, refuseArtifact, voidSubmission],
	...[readShown, readStatus, readArtifactKey, readUploadEnd, listOwn, listReceived, readExportPage, hasSubmission],
];

export const submissionDuties = [forgetReplies];

export const submissionEndpoints: readonly Endpoint[] = [
	handle(contract.quickSubmit, (ctx, { params, headers, body }) =>
		quickSubmit(ctx, { taskId: params.id, body, idempotencyKey: headers["idempotency-key"] }),
	),
	handle(contract.createSubmission, (ctx, { params, body }) => createSubmission(ctx, params.id, body)),
	handle(contract.uploadArtifact, (ctx, { params, request }) => uploads.uploadArtifact(ctx, params.id, request)),
	handle(contract.putArtifact, (ctx, { params, request }) => uploads.uploadToSignedUrl(ctx, params.id, request)),
	handle(contract.getArtifact, (ctx, { params }) => uploads.downloadArtifact(ctx, params.id)),
	handle(contract.refreshUploadUrl, (ctx, { params }) => uploads.refreshUploadUrl(ctx, params.id)),
	handle(contract.completeSubmission, (ctx, { params }) => completeSubmission(ctx, params.id)),
	handle(contract.listOwnSubmissions, (ctx, { query }) => listOwnSubmissions(ctx, query)),
	handle(contract.getSubmission, (ctx, { params }) => getSubmission(ctx, params.id)),
	handle(contract.getSubmissionStatus, (ctx, { params }) => getSubmissionStatus(ctx, params.id)),
	handle(contract.getSubmissionDetails, (ctx, { params }) => getSubmissionDetails(ctx, params.id)),
	handle(contract.listSubmissionFiles, (ctx, { params, query }) => listSubmissionFiles(ctx, () => readWork(ctx, params.id), query)),
	handle(contract.readSubmissionFile, async (ctx, { params }) => readSubmissionFile(ctx, await readWork(ctx, params.id), params.path)),
	handle(contract.listTaskSubmissions, async (ctx, { params, query, headers }) =>
		prefersCsv(headers.accept) ? exportTaskSubmissions(ctx, params.id, query) : listTaskSubmissions(ctx, params.id, query),
	),
	handle(contract.exportTask, (ctx, { params, query }) => exportTask(ctx, params.id, query.format)),
];
