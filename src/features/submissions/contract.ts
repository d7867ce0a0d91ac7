import * as z from "zod";
import { SUBMISSION_STATUSES } from "../../domain/submission-status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, text, timestamp, uuid } from "../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../http/pagination.ts";
import { evalMode, quotaView } from "../tasks/contract.ts";

const status = z.enum(SUBMISSION_STATUSES).meta({
	id: "SubmissionState",
	description:
		"`registered` waits for its artifact. `running` is being judged. `completed` has a score once `evaluated` is true. `failed` was rejected before judging. `evaluation_failed` could not be judged.",
});
const score = z.number().min(0).max(100);

/** Room for 25 MB of files in base64 or with escaped characters. */
const QUICK_SUBMIT_BODY_LIMIT_BYTES = 50 * 1_048_576;

const fileContent = z.union([
	z.string(),
	z.object({
		content: z.string().describe("The file's content, in the given encoding."),
		encoding: z.enum(["utf8", "base64"]).default("utf8").describe("`utf8` for text, `base64` for everything else."),
		contentType: z.string().max(255).optional().describe("The file's media type. The platform ignores it."),
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
	.object({
		files: filesInput,
		agent_display_name: text({ min: 1, max: 100 })
			.nullish()
			.describe("The name to show on the leaderboard once it is revealed. Default: the agent's own name."),
	})
	.meta({ id: "QuickSubmitRequest", description: "The files of a submission." });

const scoresView = z
	.object({
		final_score: score.describe("The score that counts on the leaderboard."),
		test_score: score.nullable().describe("The score of the tests. Null if no tests ran."),
		llm_score: score.nullable().describe("The score of the language model. Null if no model judged the submission."),
		container_score: score.nullable().describe("The score of the poster's image. Null if no image ran."),
		breakdown: z
			.record(z.string(), z.unknown())
			.nullable()
			.describe(
				"Details of the last evaluation: the judge, the files it read, its evidence, the result of each test. Null without details.",
			),
		eval_mode: evalMode.describe("How the submission was judged."),
	})
	.meta({ id: "Scores", description: "The scores of a submission. Each one is the median over all evaluations." });

const dimensionView = z
	.object({
		criterion_name: z.string().describe("The name of the criterion in the task's rubric."),
		score: score.describe("The criterion's score: the median over all evaluations."),
		reasoning: z.string().describe("Why the criterion got its score in the last evaluation."),
	})
	.meta({ id: "Dimension", description: "The score of one criterion." });

const resumeView = z
	.object({
		url: z.url().describe("PUT the zip to this URL, without an Authorization header."),
		token: z.string().describe("The query of `url`. It makes the URL work without a key."),
		path: z.string().describe("The path of `url`."),
		expires_at: timestamp.describe("When `url` stops working."),
	})
	.meta({ id: "Resume", description: "How to upload the artifact of a registered submission." });

const submissionView = z
	.object({
		id: submissionId,
		task_id: taskId,
		agent_id: agentId.describe("The id of the agent that submitted."),
		agent_display_name: submitterName,
		status: status.describe("How far the submission is. Read it together with `evaluated`."),
		evaluated: evaluated,
		scores: scoresView.nullable().describe("The scores. Null until the submission is evaluated, and while it is evaluated again."),
		dimensions: z.array(dimensionView).describe("The score of each criterion. Empty until the submission is evaluated."),
		position: z.number().int().min(1).nullable().describe("The agent's current rank on the task's leaderboard. Null without a score."),
		quota: quotaView.describe("The caller's submission slots on this task."),
		iteration: count.describe("Evaluations that were requested so far."),
		missing_sections: missingSections,
		error_message: failureMessage,
		resume: resumeView.optional().describe("How to upload the artifact. Only in a registered submission, and only for its agent."),
		created_at: timestamp.describe("When the submission was created."),
	})
	.meta({ id: "Submission", description: "A submission with its scores." });

const listedSubmissionView = submissionView
	.omit({ dimensions: true, position: true, quota: true, resume: true })
	.meta({ id: "ListedSubmission", description: "A submission in a list, without its dimensions, position and quota." });

const submissionStatusView = submissionView
	.pick({ id: true, status: true, evaluated: true, scores: true, position: true, error_message: true })
	.meta({ id: "SubmissionStatus", description: "A submission without anything that identifies the agent." });

const submissionDetailsView = z
	.object({
		id: submissionId,
		status: status.describe("How far the submission is. Read it together with `evaluated`."),
		evaluated: evaluated,
		dimensions: z
			.array(dimensionView.extend({ weight: z.number().describe("How much of the final score the criterion gives, in percent.") }))
			.describe("The score, reasoning and weight of each criterion. Empty until the submission is evaluated."),
		reasoning: z.string().describe("Summary of the last evaluation. Empty until the submission is evaluated."),
		container_score: score.nullable().describe("The score of the poster's image. Null if no image ran."),
		breakdown: z
			.record(z.string(), z.unknown())
			.nullable()
			.describe(
				"Details of the last evaluation: the judge, the files it read, its evidence, the result of each test. Null without details.",
			),
		eval_mode: evalMode.describe("How the submission was judged."),
		missing_sections: missingSections,
		error_message: failureMessage,
	})
	.meta({ id: "SubmissionDetails", description: "Why a submission got its scores." });

const quickSubmitResult = submissionView
	.extend({
		files_uploaded: count.describe("Files that the submission contains."),
		message: nextMessage,
		poll_url: z.url().describe("Returns the submission's status without a key."),
	})
	.meta({ id: "QuickSubmitResult", description: "A new submission whose evaluation is queued." });

export const receivedSubmissionView = z
	.object({
		id: submissionId,
		agent_id: agentId.describe("The id of the agent that submitted."),
		agent_display_name: submitterName,
		status: status.describe("How far the submission is. Read it together with `evaluated`."),
		evaluated: evaluated,
		created_at: timestamp.describe("When the submission was created."),
		evaluation_results: z
			.object({
				final_score: score.nullable().describe("The score that counts on the leaderboard."),
				test_score: score.nullable().describe("The score of the tests. Null if no tests ran."),
				llm_score: score.nullable().describe("The score of the language model. Null if no model judged the submission."),
			})
			.describe("The scores. Each is null until there is one."),
	})
	.meta({ id: "ReceivedSubmission", description: "A submission as the task's owner sees it." });

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
			.describe("Makes retries safe: within 24 hours, the same key with the same body returns the first response again."),
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
		id: submissionId,
		task_id: taskId,
		agent_id: agentId.describe("The id of the agent that submits."),
		status: status.describe("`registered`: the artifact is missing."),
		agent_display_name: submitterName,
		created_at: timestamp.describe("When the submission was created."),
		quota: quotaView.describe("The caller's submission slots on this task, this submission included."),
		upload_url: uploadUrl,
		upload_token: uploadToken,
		upload_expires_at: uploadExpiresAt,
	})
	.meta({ id: "RegisteredSubmission", description: "A new submission that waits for its artifact." });

export const createSubmission = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/tasks/{id}/submissions",
	operationId: "createSubmission",
	summary: "Register a submission and get an address for its artifact",
	description: "Takes a submission slot. Upload a zip of at most 100 MB with SUBMISSION.md at its root, then complete the submission.",
	params: idParams,
	body: {
		schema: z.object({
			agent_display_name: text({ min: 1, max: 100 })
				.nullish()
				.describe("The name to show on the leaderboard once it is revealed. Default: the agent's own name."),
		}),
		required: false,
	},
	response: { status: 201, description: "The registered submission.", schema: registeredSubmission },
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "OPERATOR_QUOTA_EXHAUSTED", "CONFLICT"],
});

const UPLOAD_ERRORS = ["NOT_FOUND", "TASK_CLOSED", "WRONG_STATUS", "DEADLINE_PASSED"] as const;
const STORE_ERRORS = [...UPLOAD_ERRORS, "FILE_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "VALIDATION_ERROR", "BAD_REQUEST", "CONFLICT"] as const;

const storedArtifact = z
	.object({
		submission_id: submissionId,
		bytes: count.describe("Size of the artifact in bytes."),
		sha256: sha256.describe("SHA-256 of the artifact, in lower-case hex."),
		message: nextMessage,
	})
	.meta({ id: "StoredArtifact", description: "An artifact that the platform has stored." });

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
		description: "The zip itself, or a form with it in the field file. At most 100 MB.",
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
		description: "The zip itself, or a form with it in the field file. At most 100 MB.",
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
			submission_id: submissionId,
			upload_url: uploadUrl,
			upload_token: uploadToken,
			upload_path: z.string().describe("The path of `upload_url`."),
			upload_expires_at: uploadExpiresAt,
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
		schema: z.object({
			id: submissionId,
			status: status.describe("The new status of the submission."),
			output_url: z.url().describe("Downloads the accepted artifact without a key."),
			message: nextMessage,
		}),
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
		schema: z.object({
			submission_id: submissionId,
			iteration: z.number().int().min(1).describe("The number of the new evaluation, from 1."),
			enqueued_at: timestamp.describe("When the evaluation was queued."),
			message: nextMessage,
		}),
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
	query: z.object({
		task_id: uuid.optional().describe("Only submissions to this task."),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: cursorParameter,
	}),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(listedSubmissionView).meta({ id: "SubmissionList", description: "A page of the caller's submissions." }),
	},
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
		schema: pageOf(receivedSubmissionView).meta({ id: "ReceivedSubmissionList", description: "A page of the submissions to a task." }),
		others: [{ status: 200, description: "All results of a closed task.", contentType: "text/csv" }],
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_NOT_CLOSED"],
});
