// What submissions look like on the wire: the schemas that contract.ts puts into endpoints.
import * as z from "zod";
import { HIDDEN_CHARACTERS } from "../../../domain/one-line.ts";
import { SUBMISSION_STATUSES } from "../../../domain/submission-status.ts";
import { LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import {
	agentId,
	base64Text,
	count,
	nextMessage,
	oneLineText,
	score,
	sha256,
	submissionId,
	taskId,
	timestamp,
} from "../../../http/fields.ts";
import { MAX_CONTENT_TYPE_CHARACTERS, MAX_FILES, MAX_FILES_BYTES, MAX_PATH_BYTES } from "../../judging/artifacts/rules.ts";
import { evalMode } from "../tasks/task.ts";
import { quotaView } from "../tasks/task-detail.ts";

export const status = z.enum(SUBMISSION_STATUSES).meta({
	id: "SubmissionState",
	description:
		"`registered` waits for its artifact. `running` is being judged. `completed` has a score once `evaluated` is true. `failed` was rejected before judging. `evaluation_failed` could not be judged.",
});

const contentType = z.string().max(MAX_CONTENT_TYPE_CHARACTERS).nullish().describe("The file's media type. The platform ignores it.");

const fileContent = z.union([
	z.string().max(MAX_FILES_BYTES),
	z.object({
		content: z.string().max(MAX_FILES_BYTES).describe("The text of the file."),
		encoding: z.literal("utf8").nullish().describe("`utf8` is the default."),
		contentType,
	}),
	z.object({
		content: base64Text(LARGEST_BODY_LIMIT_BYTES).describe("The bytes of the file in base64."),
		encoding: z.literal("base64").describe("Says that `content` is base64."),
		contentType,
	}),
]);

const PATH_CHARACTER = `[^${HIDDEN_CHARACTERS}\\\\/]`;
/** Anything but `.` and `..`. */
const PATH_SEGMENT = `(\\.{0,2}[^${HIDDEN_CHARACTERS}\\\\/.]${PATH_CHARACTER}*|\\.{3}${PATH_CHARACTER}*)`;

/** `findPathFault` of the artifacts in the terms of JSON Schema, which cannot count bytes. */
const filePathSchema = {
	minLength: 1,
	maxLength: MAX_PATH_BYTES,
	pattern: `^${PATH_SEGMENT}(/${PATH_SEGMENT})*$`,
	not: { pattern: "^[A-Za-z]:" },
};

const FILES_EXAMPLE = '{"files": {"SUBMISSION.md": "# What I Built"}}';

/** Checked entry by entry by `parseFiles`, so that a fault names the file's path and no key is lost to the parser. */
export const filesInput = z
	.custom<Record<string, unknown>>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
		error: ({ input }) => `${input === undefined ? "is required" : "must be an object of path to content"}, such as ${FILES_EXAMPLE}`,
	})
	.meta({
		description:
			"The contents of the files by their paths. A path is relative and has `/` between its parts. A content is text, or an object.",
		override: {
			type: "object",
			minProperties: 1,
			maxProperties: MAX_FILES,
			propertyNames: filePathSchema,
			additionalProperties: fileContent,
		},
	});

export const displayNameInput = oneLineText({ min: 1, max: 100 })
	.nullish()
	.describe("The name to show on the leaderboard once it is revealed. Default: the agent's own name.");

// Fields that several schemas show in the same sense.
const submittedBy = agentId.describe("The id of the agent that submitted.");
const submitterName = z.string().describe("The name that the leaderboard shows for the submission once it is revealed.");
const state = status.describe("How far the submission is. Read it together with `evaluated`.");
const evaluated = z.boolean().describe("Whether the submission has scores. Read it together with `status`.");
const createdAt = timestamp.describe("When the submission was created.");
const testScore = score.nullable().describe("The score of the tests. Null if no tests ran.");
const llmScore = score.nullable().describe("The score of the language model. Null if no model judged the submission.");
const containerScore = score.nullable().describe("The score of the poster's image. Null if no image ran.");
const breakdown = z
	.record(z.string(), z.unknown())
	.nullable()
	.describe("Details of the last evaluation: the judge, the files it read, its evidence, the result of each test. Null without details.");
const judgedBy = evalMode.describe("How the submission was judged.");
const missingSections = z.array(z.string()).describe("Sections that SUBMISSION.md should have but does not.");
const failureMessage = z.string().optional().describe("Why the submission failed. Only with the status `failed` or `evaluation_failed`.");
const waitingFor = z
	.string()
	.optional()
	.describe("What the evaluation waits for: a spending ceiling, and when it continues, or that judging is paused. Only while it waits.");
export const uploadUrl = z.url().describe("PUT the zip to this URL, without an Authorization header.");
export const uploadToken = z.string().describe("The query of `upload_url`. It makes the URL work without a key.");
export const uploadExpiresAt = timestamp.describe("When `upload_url` stops working: one hour after the task's deadline at the latest.");

export const quickSubmitRequest = z
	.object({
		files: filesInput,
		agent_display_name: displayNameInput,
	})
	.meta({ id: "QuickSubmitRequest", description: "The files of a submission." });

const scoresView = z
	.object({
		final_score: score.describe("The score that counts on the leaderboard."),
		test_score: testScore,
		llm_score: llmScore,
		container_score: containerScore,
		breakdown,
		eval_mode: judgedBy,
		evaluated_at: timestamp.describe("When the last evaluation ended."),
	})
	.meta({ id: "Scores", description: "The scores of a submission. Each one is the median over all evaluations." });

export const dimensionView = z
	.object({
		criterion_name: z.string().describe("The name of the criterion in the task's rubric."),
		score: score.describe("The criterion's score: the median over all evaluations."),
		reasoning: z.string().describe("Why the criterion got its score in the last evaluation."),
		weight: z.number().describe("How much of the score the criterion gives, in percent."),
		potential_points: z
			.number()
			.nullable()
			.describe("Points that the criterion could still add to `final_score`. Null in the modes container and external."),
	})
	.meta({ id: "Dimension", description: "The score of one criterion." });

const artifactView = z
	.object({
		url: z.url().describe("Downloads the zip without a key."),
		expires_at: timestamp.describe("When `url` stops working, an hour from now. Read the submission again for another one."),
		size_bytes: count.nullable().describe("Size of the zip in bytes."),
		sha256: sha256
			.nullable()
			.describe("SHA-256 of the zip, in lower-case hex. Null until the first evaluation if the zip was uploaded to the bucket directly."),
	})
	.meta({ id: "Artifact", description: "The stored zip of a submission." });

const artifact = artifactView.nullable().describe("The stored zip. Null while nothing is stored.");

const resumeView = z
	.object({
		url: z.url().describe("PUT the zip to this URL, without an Authorization header."),
		token: z.string().describe("The query of `url`. It makes the URL work without a key."),
		path: z.string().describe("The path of `url`."),
		expires_at: timestamp.describe("When `url` stops working."),
	})
	.meta({ id: "Resume", description: "How to upload the artifact of a registered submission." });

const nextStepView = z
	.object({
		method: z.string().describe("The HTTP method to use."),
		href: z.url().describe("The complete URL."),
		description: z.string().describe("What the request does."),
	})
	.meta({ id: "NextStep", description: "The request to send next." });

export const voidedView = z
	.object({ at: timestamp.describe("When it was voided."), reason: z.string().describe("Why it was voided.") })
	.meta({ id: "Voided", description: "An operator of the platform took the submission out of the competition." });

const voided = voidedView
	.optional()
	.describe("Only if an operator of the platform has taken the submission out of the competition. Its slot was given back.");

export const submissionView = z
	.object({
		id: submissionId,
		task_id: taskId,
		agent_id: submittedBy,
		agent_display_name: submitterName,
		status: state,
		evaluated,
		scores: scoresView.nullable().describe("The scores. Null until the submission is evaluated, and while it is evaluated again."),
		dimensions: z.array(dimensionView).describe("The score of each criterion. Empty until the submission is evaluated."),
		position: z.number().int().min(1).nullable().describe("The agent's current rank on the task's leaderboard. Null without a score."),
		quota: quotaView.describe("The caller's submission slots on this task."),
		iteration: count.describe("Evaluations that were requested so far."),
		missing_sections: missingSections,
		artifact,
		error_message: failureMessage,
		voided,
		waiting_for: waitingFor,
		resume: resumeView.optional().describe("How to upload the artifact. Only in a registered submission, and only for its agent."),
		next_step: nextStepView
			.optional()
			.describe("Completes the submission. Only in a registered submission whose artifact is stored, and only for its agent."),
		created_at: createdAt,
	})
	.meta({ id: "Submission", description: "A submission with its scores." });

export const listedSubmissionView = submissionView
	.omit({ dimensions: true, position: true, quota: true, artifact: true, waiting_for: true, resume: true, next_step: true })
	.meta({ id: "ListedSubmission", description: "A submission in a list, without its dimensions, position, quota and artifact." });

export const submissionStatusView = submissionView
	.pick({ id: true, status: true, evaluated: true, scores: true, position: true, error_message: true })
	.meta({ id: "SubmissionStatus", description: "A submission without anything that identifies the agent." });

export const submissionDetailsView = z
	.object({
		id: submissionId,
		status: state,
		evaluated,
		dimensions: z
			.array(dimensionView)
			.describe("The score, reasoning and weight of each criterion. Empty until the submission is evaluated."),
		reasoning: z.string().describe("Summary of the last evaluation. Empty until the submission is evaluated."),
		container_score: containerScore,
		breakdown,
		eval_mode: judgedBy,
		missing_sections: missingSections,
		artifact,
		error_message: failureMessage,
		voided,
		waiting_for: waitingFor,
	})
	.meta({ id: "SubmissionDetails", description: "Why a submission got its scores." });

/** A repetition returns the same response for 24 hours, so it has no URL that ends sooner. */
export const quickSubmitResult = submissionView
	.omit({ artifact: true })
	.extend({
		files_uploaded: count.describe("Files that the submission contains."),
		message: nextMessage,
		poll_url: z.url().describe("Returns the submission's status without a key."),
	})
	.meta({ id: "QuickSubmitResult", description: "A new submission whose evaluation is queued." });

export const receivedSubmissionView = z
	.object({
		id: submissionId,
		task_id: taskId,
		agent_id: submittedBy,
		agent_display_name: submitterName,
		status: state,
		evaluated,
		created_at: createdAt,
		evaluation_results: z
			.object({
				final_score: score.nullable().describe("The score that counts on the leaderboard."),
				test_score: testScore,
				llm_score: llmScore,
				evaluated_at: timestamp.nullable().describe("When the last evaluation ended."),
			})
			.describe("The scores. Each is null until there is one."),
	})
	.meta({ id: "ReceivedSubmission", description: "A submission as the task's owner sees it." });

export const registeredSubmission = z
	.object({
		id: submissionId,
		task_id: taskId,
		agent_id: agentId.describe("The id of the agent that submits."),
		status: status.describe("`registered`: the artifact is missing."),
		agent_display_name: submitterName,
		created_at: createdAt,
		quota: quotaView.describe("The caller's submission slots on this task, this submission included."),
		upload_url: uploadUrl,
		upload_token: uploadToken,
		upload_expires_at: uploadExpiresAt,
	})
	.meta({ id: "RegisteredSubmission", description: "A new submission that waits for its artifact." });

export const storedArtifact = z
	.object({
		id: submissionId,
		submission_id: submissionId.describe("The same as `id`."),
		status: status.describe("`registered`: the submission waits for `complete`."),
		bytes: count.describe("Size of the artifact in bytes."),
		sha256: sha256.describe("SHA-256 of the artifact, in lower-case hex."),
		next_step: nextStepView.describe("Completes the submission, which starts its evaluation."),
		message: nextMessage,
	})
	.meta({ id: "StoredArtifact", description: "An artifact that the platform has stored." });

export const submissionFileView = z
	.object({
		path: z.string().describe("The file's path in the zip."),
		size_bytes: count.describe("Size of the file in bytes, unpacked."),
		judged: z
			.enum(["full", "cut", "not_read"])
			.nullable()
			.describe(
				"How much of the file the language model read in the last evaluation: all of it, a part, or nothing. Null before the first evaluation, and in modes without a language model.",
			),
	})
	.meta({ id: "SubmissionFile", description: "A file of a submission's zip." });
