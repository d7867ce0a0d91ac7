import { z } from "zod";
import { SUBMISSION_STATUSES } from "../../db/schema/submissions.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, text, timestamp, uuid } from "../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../http/pagination.ts";
import { evalMode, quotaView } from "../tasks/contract.ts";

const status = z.enum(SUBMISSION_STATUSES);
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

export const submissionView = z
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
		created_at: timestamp,
	})
	.meta({ id: "Submission" });

const listedSubmissionView = submissionView.omit({ dimensions: true, position: true, quota: true }).meta({ id: "ListedSubmission" });

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

const ownerSubmissionView = z
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
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "CONFLICT"],
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
	description: "For the task's owner. Newest first.",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(ownerSubmissionView).meta({ id: "ReceivedSubmissionList" }),
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
});
