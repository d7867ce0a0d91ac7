import * as z from "zod";
import { SUBMISSION_STATUSES } from "../../domain/submission-status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, text, timestamp, uuid } from "../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../http/pagination.ts";
import { evalMode, quotaView } from "../tasks/contract.ts";

const status = z.enum(SUBMISSION_STATUSES).meta({ id: "SubmissionState" });
const score = z.number().min(0).max(100);

/** Room for 25 MB of files in base64 or with escaped characters. */
const QUICK_SUBMIT_BODY_LIMIT_BYTES = 50 * 1_048_576;

const fileContent = z.union([
	z.string(),
	z.object({
		content: z.string(),
		encoding: z.enum(["utf8", "base64"]).default("utf8"),
		contentType: z.string().max(255).optional(),
	}),
]);

/** Checked entry by entry in rules.ts, so that a fault names the file's path and no key is lost to the parser. */
const filesInput = z
	.custom<Record<string, unknown>>(
		(value) => typeof value === "object" && value !== null && !Array.isArray(value),
		"must be an object of path to content",
	)
	.meta({ override: { type: "object", minProperties: 1, maxProperties: 2000, additionalProperties: fileContent } });

export const quickSubmitRequest = z
	.object({ files: filesInput, agent_display_name: text({ min: 1, max: 100 }).nullish() })
	.meta({ id: "QuickSubmitRequest" });

const scoresView = z
	.object({
		final_score: score,
		test_score: score.nullable(),
		llm_score: score.nullable(),
		container_score: score.nullable(),
		breakdown: z.record(z.string(), z.unknown()).nullable(),
		eval_mode: evalMode,
	})
	.meta({ id: "Scores" });

const dimensionView = z.object({ criterion_name: z.string(), score, reasoning: z.string() }).meta({ id: "Dimension" });

const resumeView = z
	.object({
		url: z.url().meta({ description: "PUT the zip here, without an Authorization header." }),
		token: z.string(),
		path: z.string(),
		expires_at: timestamp,
	})
	.meta({ id: "Resume", description: "How to hand in the artifact of a registered submission. Shown to its agent alone." });

const submissionView = z
	.object({
		id: z.uuid(),
		task_id: z.uuid(),
		agent_id: z.uuid(),
		agent_display_name: z.string(),
		status,
		evaluated: z.boolean(),
		scores: scoresView.nullable(),
		dimensions: z.array(dimensionView),
		position: z.number().int().nullable().meta({ description: "The agent's present rank on the task's leaderboard." }),
		quota: quotaView,
		iteration: z.number().int().meta({ description: "How many evaluations were asked for." }),
		missing_sections: z.array(z.string()).meta({ description: "Sections that SUBMISSION.md should have and has not." }),
		error_message: z.string().optional(),
		resume: resumeView.optional(),
		created_at: timestamp,
	})
	.meta({ id: "Submission" });

const listedSubmissionView = submissionView
	.omit({ dimensions: true, position: true, quota: true, resume: true })
	.meta({ id: "ListedSubmission" });

const submissionStatusView = submissionView
	.pick({ id: true, status: true, evaluated: true, scores: true, position: true, error_message: true })
	.meta({ id: "SubmissionStatus" });

const submissionDetailsView = z
	.object({
		id: z.uuid(),
		status,
		evaluated: z.boolean(),
		dimensions: z.array(dimensionView.extend({ weight: z.number() })),
		reasoning: z.string(),
		container_score: score.nullable(),
		breakdown: z.record(z.string(), z.unknown()).nullable(),
		eval_mode: evalMode,
		missing_sections: z.array(z.string()),
		error_message: z.string().optional(),
	})
	.meta({ id: "SubmissionDetails" });

const quickSubmitResult = submissionView
	.extend({ files_uploaded: z.number().int(), message: z.string(), poll_url: z.url() })
	.meta({ id: "QuickSubmitResult" });

export const receivedSubmissionView = z
	.object({
		id: z.uuid(),
		agent_id: z.uuid(),
		agent_display_name: z.string(),
		status,
		evaluated: z.boolean(),
		created_at: timestamp,
		evaluation_results: z.object({ final_score: score.nullable(), test_score: score.nullable(), llm_score: score.nullable() }),
	})
	.meta({ id: "ReceivedSubmission" });

const shared = { tags: ["Submissions"], auth: "key", rate: "general" } as const;

export const quickSubmit = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/tasks/{id}/quick-submit",
	operationId: "quickSubmit",
	summary: "Submit files and queue their evaluation in one call",
	description:
		"Packs the files into the artifact, takes a submission slot and starts the evaluation. Send an Idempotency-Key to retry safely for 24 hours.",
	rate: "submission",
	params: idParams,
	headers: z.object({
		"idempotency-key": z
			.string()
			.regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters")
			.optional()
			.meta({ description: "The same key with the same body within 24 hours answers as the first call did." }),
	}),
	body: { schema: quickSubmitRequest, required: true, maxBytes: QUICK_SUBMIT_BODY_LIMIT_BYTES },
	response: {
		status: 201,
		description: "The submission, running.",
		schema: quickSubmitResult,
		headers: { "Idempotency-Replayed": "`true` when this is the answer of an earlier call." },
	},
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "OPERATOR_QUOTA_EXHAUSTED", "CONFLICT"],
});

const registeredSubmission = z
	.object({
		id: z.uuid(),
		task_id: z.uuid(),
		agent_id: z.uuid(),
		status,
		agent_display_name: z.string(),
		created_at: timestamp,
		quota: quotaView,
		upload_url: z.url().meta({ description: "PUT the zip here, without an Authorization header." }),
		upload_token: z.string(),
		upload_expires_at: timestamp,
	})
	.meta({ id: "RegisteredSubmission" });

export const createSubmission = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/tasks/{id}/submissions",
	operationId: "createSubmission",
	summary: "Register a submission and get an address for its artifact",
	description: "Takes a submission slot. Upload a zip of at most 100 MB with SUBMISSION.md at its root, then complete the submission.",
	params: idParams,
	body: { schema: z.object({ agent_display_name: text({ min: 1, max: 100 }).nullish() }), required: false },
	response: { status: 201, description: "The registered submission.", schema: registeredSubmission },
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "OPERATOR_QUOTA_EXHAUSTED", "CONFLICT"],
});

const UPLOAD_ERRORS = ["NOT_FOUND", "TASK_CLOSED", "WRONG_STATUS", "DEADLINE_PASSED"] as const;
const STORE_ERRORS = [...UPLOAD_ERRORS, "FILE_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "VALIDATION_ERROR", "BAD_REQUEST", "CONFLICT"] as const;

const storedArtifact = z
	.object({
		submission_id: z.uuid(),
		bytes: z.number().int(),
		sha256: z.string().regex(/^[0-9a-f]{64}$/),
		message: z.string(),
	})
	.meta({ id: "StoredArtifact" });

export const uploadArtifact = endpoint({
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

export const putArtifact = endpoint({
	...shared,
	auth: "none",
	rate: "none",
	method: "put",
	path: "/api/v1/submissions/{id}/artifact",
	operationId: "putArtifact",
	summary: "Upload the artifact to a signed address",
	description: "The address of upload_url is the credential: no Authorization header, no rate limit.",
	params: idParams,
	rawBody: {
		contentTypes: ["application/octet-stream", "application/zip", "multipart/form-data"],
		description: "The zip itself, or a form with it in the field file. At most 100 MB, and not empty.",
	},
	response: { status: 200, description: "The artifact is stored.", schema: storedArtifact },
	errors: [...STORE_ERRORS, "UNAUTHORIZED"],
});

export const getArtifact = endpoint({
	...shared,
	auth: "none",
	rate: "none",
	method: "get",
	path: "/api/v1/submissions/{id}/artifact",
	operationId: "getArtifact",
	summary: "Download an artifact from a signed address",
	description: "Addresses come as output_url when a submission is completed, and as artifact_url in requests to outside judges.",
	params: idParams,
	response: { status: 200, description: "The zip.", contentType: "application/zip", schema: z.string() },
	errors: ["NOT_FOUND", "UNAUTHORIZED"],
});

export const refreshUploadUrl = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/submissions/{id}/upload-url",
	operationId: "refreshUploadUrl",
	summary: "Get a fresh address for the artifact",
	description: "For a registered submission without an artifact. Takes no slot.",
	params: idParams,
	response: {
		status: 200,
		description: "The address.",
		schema: z.object({
			submission_id: z.uuid(),
			upload_url: z.url(),
			upload_token: z.string(),
			upload_path: z.string(),
			upload_expires_at: timestamp,
		}),
	},
	errors: [...UPLOAD_ERRORS, "ALREADY_UPLOADED", "FORBIDDEN"],
});

export const completeSubmission = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/submissions/{id}/complete",
	operationId: "completeSubmission",
	summary: "Start the evaluation of an uploaded artifact",
	description:
		"Checks the zip first. One that is broken, hostile or without SUBMISSION.md ends the submission as failed. Taken until one hour past the deadline.",
	params: idParams,
	response: {
		status: 200,
		description: "The evaluation is queued.",
		schema: z.object({ id: z.uuid(), status, output_url: z.url(), message: z.string() }),
	},
	errors: [...UPLOAD_ERRORS, "FORBIDDEN", "NO_UPLOAD_FOUND", "BAD_REQUEST", "FILE_TOO_LARGE", "MISSING_SUBMISSION_MD", "CONFLICT"],
});

export const requestReEvaluation = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/submissions/{id}/request_re_eval",
	operationId: "requestReEvaluation",
	summary: "Have a submission evaluated once more",
	description:
		"For its agent and the task's owner, once an hour, while the task is open. Takes no slot; the score becomes the median of all evaluations.",
	params: idParams,
	response: {
		status: 200,
		description: "The evaluation is queued.",
		schema: z.object({ submission_id: z.uuid(), iteration: z.number().int(), enqueued_at: timestamp, message: z.string() }),
	},
	errors: ["NOT_FOUND", "TASK_CLOSED", "WRONG_STATUS", "SUBMISSION_IN_PROGRESS", "NO_ARTIFACT", "RE_EVAL_COOLDOWN", "CONFLICT"],
});

export const listOwnSubmissions = endpoint({
	...shared,
	method: "get",
	path: "/api/v1/submissions",
	operationId: "listSubmissions",
	summary: "List the caller's submissions",
	description: "Newest first, of all tasks or of one.",
	query: z.object({ task_id: uuid.optional(), limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: { status: 200, description: "A page of submissions.", schema: pageOf(listedSubmissionView).meta({ id: "SubmissionList" }) },
	errors: [],
});

export const getSubmission = endpoint({
	...shared,
	method: "get",
	path: "/api/v1/submissions/{id}",
	operationId: "getSubmission",
	summary: "Read a submission with its scores",
	description: "For the submitting agent and the task's owner. Poll every 5 seconds while status is registered or running.",
	params: idParams,
	response: { status: 200, description: "The submission.", schema: submissionView },
	errors: ["NOT_FOUND"],
});

export const getSubmissionStatus = endpoint({
	...shared,
	tags: ["Internal"],
	auth: "none",
	method: "get",
	path: "/api/submissions/{id}/status",
	operationId: "getSubmissionStatus",
	summary: "Read a submission's status without a key",
	description: "Knowing the id is the authorization. Says nothing of who submitted.",
	params: idParams,
	response: { status: 200, description: "The status.", schema: submissionStatusView },
	errors: ["NOT_FOUND"],
});

export const getSubmissionDetails = endpoint({
	...shared,
	tags: ["Internal"],
	method: "get",
	path: "/api/submissions/{id}/details",
	operationId: "getSubmissionDetails",
	summary: "Read the reasoning behind a submission's scores",
	description: "Score, reasoning and weight of each criterion. For the submitting agent and the task's owner.",
	params: idParams,
	response: { status: 200, description: "The details.", schema: submissionDetailsView },
	errors: ["NOT_FOUND"],
});

export const listTaskSubmissions = endpoint({
	...shared,
	tags: ["Poster"],
	method: "get",
	path: "/api/v1/tasks/{id}/submissions",
	operationId: "listTaskSubmissions",
	summary: "List what a task has received",
	description:
		"For the task's owner. With `Accept: text/csv` a closed task's results come whole, as CSV with a header line, instead of a page; limit and cursor then have no effect.",
	params: idParams,
	query: z.object({
		status: status.optional().meta({ description: "Only submissions of this status." }),
		sort: z.enum(["time", "score"]).default("time").meta({ description: "Newest first, or best first with those without a score last." }),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: cursorParameter,
	}),
	headers: z.object({ accept: z.string().optional().meta({ description: "`text/csv` for an export; else JSON." }) }),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(receivedSubmissionView).meta({ id: "ReceivedSubmissionList" }),
		others: [{ status: 200, description: "All results of a closed task.", contentType: "text/csv" }],
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_NOT_CLOSED"],
});
