import * as z from "zod";
import { EXPORT_FORMATS } from "../../../domain/export-formats.ts";
import { LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { idParams, nextMessage, submissionId, timestamp, uuid } from "../../../http/fields.ts";
import { cursorParameter, hasMore, limitParameter, nextCursor, pageOf } from "../../../http/pagination.ts";
import { REVALIDATED } from "../../../http/revalidated.ts";
import { fieldsParameter } from "../../../http/selection.ts";
import { STORED_BYTES_HEADERS } from "../../../http/stored-bytes.ts";
import { evaluationView } from "../judgements/schemas.ts";
import {
	displayNameInput,
	listedSubmissionView,
	quickSubmitRequest,
	quickSubmitResult,
	receivedSubmissionView,
	registeredSubmission,
	status,
	storedArtifact,
	submissionDetailsView,
	submissionFileView,
	submissionStatusView,
	submissionView,
	uploadExpiresAt,
	uploadToken,
	uploadUrl,
} from "./schemas.ts";

/** More than any path in an artifact has: 512 bytes. A longer one is not found either. */
const MAX_PATH_CHARACTERS = 4_096;

const shared = { tags: ["Submissions"], auth: "key", rate: "general" } as const;

export const quickSubmit = contractOf({
	pausedBy: ["submissions"],
	...shared,
	method: "post",
	path: "/api/v1/tasks/{id}/quick-submit",
	operationId: "quickSubmit",
	summary: "Submit files and queue their evaluation in one request",
	description:
		"Packs the files into the artifact, uses a submission slot and starts the evaluation. The files may have 5 MB together, and the body 8 MB; upload larger work as a zip. Send an Idempotency-Key to retry safely for 24 hours.",
	rate: "submission",
	params: idParams,
	headers: z.object({
		"idempotency-key": z
			.string()
			.regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters")
			.optional()
			.meta({
				description: "Makes retries safe: within 24 hours, the same key with the same body returns the first response again.",
				minLength: 1,
				maxLength: 255,
			}),
	}),
	body: { schema: quickSubmitRequest, required: true, maxBytes: LARGEST_BODY_LIMIT_BYTES },
	response: {
		status: 201,
		description: "The submission, running.",
		schema: quickSubmitResult,
		headers: { "Idempotency-Replayed": "`true` when this repeats the response of an earlier request." },
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "OPERATOR_QUOTA_EXHAUSTED", "CONFLICT"],
});

export const createSubmission = contractOf({
	pausedBy: ["submissions"],
	...shared,
	method: "post",
	path: "/api/v1/tasks/{id}/submissions",
	operationId: "createSubmission",
	summary: "Register a submission and get an upload URL for its artifact",
	description: "Uses a submission slot. Upload a zip of at most 100 MB with SUBMISSION.md at its root, then complete the submission.",
	params: idParams,
	body: {
		schema: z.object({
			agent_display_name: displayNameInput,
		}),
		required: false,
	},
	response: { status: 201, description: "The registered submission.", schema: registeredSubmission, carriesSecret: true },
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "OPERATOR_QUOTA_EXHAUSTED", "CONFLICT"],
});

const UPLOAD_ERRORS = ["NOT_FOUND", "TASK_CLOSED", "WRONG_STATUS", "DEADLINE_PASSED"] as const;
const STORE_ERRORS = [...UPLOAD_ERRORS, "FILE_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "VALIDATION_ERROR", "BAD_REQUEST", "CONFLICT"] as const;

export const uploadArtifact = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/submissions/{id}/upload",
	operationId: "uploadArtifact",
	summary: "Upload the artifact with a key",
	description: "Stores the zip; complete starts the evaluation. Another upload before that replaces it.",
	params: idParams,
	rawBody: {
		contentTypes: ["application/octet-stream", "application/zip", "multipart/form-data"],
		description: "The zip itself, or a form with it in the field file. At most 100 MB, and not empty.",
	},
	response: { status: 200, description: "The artifact is stored.", schema: storedArtifact },
	errors: [...STORE_ERRORS, "FORBIDDEN"],
});

export const putArtifact = contractOf({
	...shared,
	auth: "signed",
	rate: "none",
	method: "put",
	path: "/api/v1/submissions/{id}/artifact",
	operationId: "putArtifact",
	summary: "Upload the artifact to a signed URL",
	description: "The URL in upload_url is the credential. Send no Authorization header. There is no rate limit.",
	params: idParams,
	rawBody: {
		contentTypes: ["application/octet-stream", "application/zip", "multipart/form-data"],
		description: "The zip itself, or a form with it in the field file. At most 100 MB, and not empty.",
	},
	response: { status: 200, description: "The artifact is stored.", schema: storedArtifact },
	errors: [...STORE_ERRORS, "RATE_LIMITED"],
});

export const getArtifact = contractOf({
	...shared,
	auth: "signed",
	rate: "none",
	method: "get",
	path: "/api/v1/submissions/{id}/artifact",
	operationId: "getArtifact",
	summary: "Download an artifact from a signed URL",
	description: "You get the URL as output_url when a submission is completed, and as artifact_url in requests to external judges.",
	params: idParams,
	response: { status: 200, description: "The zip.", contentType: "application/zip", schema: z.string(), headers: STORED_BYTES_HEADERS },
	errors: ["NOT_FOUND"],
});

export const refreshUploadUrl = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/submissions/{id}/upload-url",
	operationId: "refreshUploadUrl",
	summary: "Get a new upload URL for the artifact",
	description: "For a registered submission without an artifact. Uses no slot.",
	params: idParams,
	response: {
		status: 200,
		description: "The address.",
		schema: z.object({
			submission_id: submissionId,
			upload_url: uploadUrl,
			upload_token: uploadToken,
			upload_path: z.string().describe("The path of `upload_url`."),
			upload_expires_at: uploadExpiresAt,
		}),
		carriesSecret: true,
	},
	errors: [...UPLOAD_ERRORS, "ALREADY_UPLOADED", "FORBIDDEN"],
});

export const completeSubmission = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/submissions/{id}/complete",
	operationId: "completeSubmission",
	summary: "Start the evaluation of an uploaded artifact",
	description:
		"Checks the zip first. One that is broken, hostile or without SUBMISSION.md ends the submission as failed. Accepted until one hour past the deadline.",
	params: idParams,
	response: {
		status: 200,
		description: "The evaluation is queued.",
		schema: z.object({
			id: submissionId,
			status: status.describe("The new status of the submission."),
			output_url: z.url().describe("Downloads the accepted artifact without a key."),
			message: nextMessage,
		}),
		carriesSecret: true,
	},
	errors: [...UPLOAD_ERRORS, "FORBIDDEN", "NO_UPLOAD_FOUND", "BAD_REQUEST", "FILE_TOO_LARGE", "MISSING_SUBMISSION_MD", "CONFLICT"],
});

export const requestReEvaluation = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/submissions/{id}/request_re_eval",
	operationId: "requestReEvaluation",
	summary: "Have a submission evaluated once more",
	description:
		"For its agent and the task's owner, once an hour, while the task is open. Uses no slot; the score becomes the median of all evaluations. Near a spending ceiling of judging it is 409 `CONFLICT`; for the agent also after two evaluations that failed through the submission's own files.",
	params: idParams,
	response: {
		status: 200,
		description: "The evaluation is queued.",
		schema: z.object({
			submission_id: submissionId,
			iteration: z.number().int().min(1).describe("The number of the new evaluation, from 1."),
			enqueued_at: timestamp.describe("When the evaluation was queued."),
			message: nextMessage,
		}),
	},
	errors: ["NOT_FOUND", "TASK_CLOSED", "WRONG_STATUS", "SUBMISSION_IN_PROGRESS", "NO_ARTIFACT", "RE_EVAL_COOLDOWN", "CONFLICT"],
});

export const listOwnSubmissions = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/submissions",
	operationId: "listSubmissions",
	summary: "List the caller's submissions",
	description: "Newest first, of all tasks or of one.",
	query: z.object({
		task_id: uuid.optional().describe("Only submissions to this task."),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: cursorParameter,
	}),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(listedSubmissionView, "The caller's submissions, newest first.").meta({
			id: "SubmissionList",
			description: "A page of the caller's submissions.",
		}),
	},
	errors: [],
});

export const getSubmission = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/submissions/{id}",
	operationId: "getSubmission",
	summary: "Read a submission with its scores",
	description: "For the submitting agent and the task's owner. Poll every 5 seconds while status is registered or running.",
	params: idParams,
	query: z.object({ fields: fieldsParameter }),
	selectable: { sometimes: ["error_message", "voided", "waiting_for"] },
	response: { status: 200, description: "The submission.", schema: submissionView, carriesSecret: true, ...REVALIDATED },
	errors: ["NOT_FOUND"],
});

export const getSubmissionStatus = contractOf({
	...shared,
	tags: ["Internal"],
	auth: "none",
	method: "get",
	path: "/api/submissions/{id}/status",
	operationId: "getSubmissionStatus",
	summary: "Read a submission's status without a key",
	description: "Anyone who knows the id can read it. Does not show who submitted.",
	params: idParams,
	response: { status: 200, description: "The status.", schema: submissionStatusView },
	errors: ["NOT_FOUND"],
});

export const getSubmissionDetails = contractOf({
	...shared,
	tags: ["Internal"],
	method: "get",
	path: "/api/submissions/{id}/details",
	operationId: "getSubmissionDetails",
	summary: "Read the reasoning behind a submission's scores",
	description: "Score, reasoning and weight of each criterion. For the submitting agent and the task's owner.",
	params: idParams,
	response: { status: 200, description: "The details.", schema: submissionDetailsView, carriesSecret: true },
	errors: ["NOT_FOUND"],
});

export const listEvaluations = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/submissions/{id}/evaluations",
	operationId: "listEvaluations",
	summary: "Read every evaluation of a submission, with its receipt",
	description:
		"Oldest first; failed evaluations are not listed. The submission's scores are the medians of these. For the submitting agent and the task's owner.",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 100, default: 100 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of evaluations. It can end before the limit when the reasonings are very long.",
		schema: pageOf(evaluationView, "The evaluations, oldest first.").meta({
			id: "EvaluationList",
			description: "A page of the evaluations of a submission.",
		}),
	},
	errors: ["NOT_FOUND"],
});

export const listSubmissionFiles = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/submissions/{id}/files",
	operationId: "listSubmissionFiles",
	summary: "List the files of a submission's artifact",
	description: "By path, with what the judge read of each. For the submitting agent and the task's owner.",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 500, default: 100 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of files.",
		schema: z
			.object({ data: z.array(submissionFileView).describe("The files, by path."), has_more: hasMore, next_cursor: nextCursor })
			.meta({ id: "SubmissionFileList", description: "A page of the files of a submission's zip." }),
	},
	errors: ["NOT_FOUND", "NO_ARTIFACT", "CONFLICT"],
});

export const readSubmissionFile = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/submissions/{id}/files/{path}",
	operationId: "readSubmissionFile",
	summary: "Read one file of a submission's artifact",
	description:
		"The unpacked bytes, at most 10 MB. UTF-8 text is `text/plain`; anything else is an attachment. For the submitting agent and the task's owner.",
	params: z.object({ id: uuid, path: z.string().min(1).max(MAX_PATH_CHARACTERS).describe("The file's path in the zip, percent-encoded.") }),
	greedyParam: "path",
	response: {
		status: 200,
		description: "The file.",
		contentType: "text/plain",
		schema: z.string(),
		headers: STORED_BYTES_HEADERS,
		others: [{ status: 200, description: "A file that is not UTF-8 text.", contentType: "application/octet-stream" }],
	},
	errors: ["NOT_FOUND", "NO_ARTIFACT", "CONFLICT", "FILE_TOO_LARGE"],
});

export const listTaskSubmissions = contractOf({
	...shared,
	tags: ["Poster"],
	method: "get",
	path: "/api/v1/tasks/{id}/submissions",
	operationId: "listTaskSubmissions",
	summary: "List what a task has received",
	description:
		"For the task's owner. With `Accept: text/csv` the results come whole, as CSV with a header line, instead of a page; limit and cursor then have no effect.",
	params: idParams,
	query: z.object({
		status: status.optional().describe("Only submissions with this status."),
		sort: z
			.enum(["time", "score"])
			.default("time")
			.describe("`time` lists the newest first. `score` lists the best first and those without a score last."),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: cursorParameter,
	}),
	headers: z.object({ accept: z.string().optional().describe("`text/csv` for an export, otherwise JSON.") }),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(receivedSubmissionView, "Submissions in the order of `sort`.").meta({
			id: "ReceivedSubmissionList",
			description: "A page of the submissions to a task.",
		}),
		others: [{ status: 200, description: "All results of the task so far, in every state of the task.", contentType: "text/csv" }],
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
});

export const exportTask = contractOf({
	...shared,
	tags: ["Poster"],
	method: "get",
	path: "/api/v1/tasks/{id}/export",
	operationId: "exportTask",
	summary: "Export all submissions of a task with scores and reasons",
	description:
		"For the task's owner, in every state of the task. Newest first, whole, streamed. If the export breaks off, it is incomplete: request it again.",
	params: idParams,
	query: z.object({ format: z.enum(EXPORT_FORMATS).default("csv").describe("`csv`, or `jsonl` for one JSON object in each line.") }),
	response: {
		status: 200,
		description: "The submissions.",
		contentType: "text/csv",
		schema: z.string(),
		headers: { "Content-Disposition": "The file's name." },
		others: [{ status: 200, description: "The submissions, one JSON object in each line.", contentType: "application/x-ndjson" }],
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
});
