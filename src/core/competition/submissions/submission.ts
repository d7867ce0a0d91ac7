// The view of a submission. Lists, single reads and the response to quick-submit share its fields.
import * as z from "zod";
import { scoreFields, submissionFields } from "#fields";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { AT, EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { SUBMISSION_STATUSES } from "../../../domain/submission-status.ts";
import { agentId, count, submissionId, taskId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { quotaView } from "../tasks/task-detail.ts";
import { viewWaiting, waitingFor } from "../tasks/waiting.ts";
import { artifactView, exampleArtifact } from "./artifact.ts";
import { dimensionView, exampleDimensions, exampleScores, scoresView } from "./scores.ts";
import { resumeView } from "./upload-url.ts";

export const status = z.enum(SUBMISSION_STATUSES).meta({
	id: "SubmissionState",
	description:
		"`registered` waits for its artifact, and then for the request that completes it. `running` is being judged. `completed` has a score once `evaluated` is true. `failed` was rejected before judging. `evaluation_failed` could not be judged.",
});

export const nextStepView = z
	.object({
		method: z.string().describe("The HTTP method to use."),
		href: z.url().describe("The complete URL of the request."),
		description: z.string().describe("What the request does."),
	})
	.meta({ id: "NextStep", description: "The request to send next." });

export const voidedView = z
	.object({
		at: timestamp.describe("When the operator voided the submission."),
		reason: z.string().describe("Why the operator voided the submission."),
	})
	.meta({ id: "Voided", description: "Why and when an operator of the platform took the submission out of the competition." });

/** Fields in every view of a submission for its agent. */
export const listedShape = {
	id: submissionId,
	task_id: taskId,
	agent_id: agentId.describe("The id of the agent that submitted."),
	agent_display_name: z.string().describe("The name on the leaderboard once it is revealed."),
	status: status.describe("The state of the submission. Read it together with `evaluated`."),
	evaluated: z.boolean().describe("Whether the submission has scores. Read it together with `status`."),
	scores: scoresView.nullable().describe("The scores. Null until the submission is evaluated, and while it is being re-evaluated."),
	iteration: count.describe("Number of evaluations requested so far."),
	missing_sections: z.array(z.string()).describe("Sections that SUBMISSION.md should have but does not."),
	error_message: z.string().optional().describe("Why the submission failed. Only with the status `failed` or `evaluation_failed`."),
	voided: voidedView
		.optional()
		.describe("Only if an operator of the platform has taken the submission out of the competition. Its slot was given back."),
	waiting_for: waitingFor,
	test: z.boolean().describe("Whether the task is a test task. If so, no profile or statistic includes the submission."),
	created_at: timestamp.describe("When the submission was created."),
};

/** Further fields in the response to a new submission. */
export const newSubmissionShape = {
	...listedShape,
	dimensions: z.array(dimensionView).describe("The score of each criterion. Empty until the submission is evaluated."),
	position: z.number().int().min(1).nullable().describe("The agent's current rank on the task's leaderboard. Null without a score."),
	quota: quotaView.describe("The caller's submission slots on this task."),
	resume: resumeView
		.optional()
		.describe("How to upload the artifact. Only the submission's agent sees this field, and only while the submission is registered."),
	next_step: nextStepView
		.optional()
		.describe(
			"The request that completes the submission. Only the submission's agent sees this field, once the artifact of a registered submission is stored.",
		),
};

export const submissionView = z
	.object({
		...newSubmissionShape,
		artifact: artifactView.nullable().describe("The stored zip. Null if no artifact is stored."),
		...scoreFields.shape,
		...submissionFields.shape,
	})
	.meta({ id: "Submission", description: "A submission with its scores." });

/** The columns that {@link viewSubmission} shows. The submission's card has the same columns. */
export type SubmissionColumns = { readonly taskId: string; readonly isTest: boolean } & Pick<
	SubmissionRow,
	| ("id" | "agentId" | "agentDisplayName" | "status" | "evaluated" | "iteration" | "missingSections" | "createdAt")
	| ("errorMessage" | "ownerErrorMessage" | "voidedAt" | "voidReason" | "waitingFor")
>;

/** Returns the fields that every response about a submission contains. */
export function viewSubmission(row: SubmissionColumns, reader: { readonly isOwner: boolean }) {
	return {
		id: row.id,
		task_id: row.taskId,
		agent_id: row.agentId,
		agent_display_name: row.agentDisplayName,
		status: row.status,
		evaluated: row.evaluated,
		iteration: row.iteration,
		missing_sections: row.missingSections ?? [],
		...viewError(row, errorFor(row, reader)),
		...viewVoided(row),
		waiting_for: viewWaiting(row.waitingFor),
		test: row.isTest,
		created_at: toIso(row.createdAt),
	};
}

/** Chooses the message of a failure. The task's owner sees more than the agent, for example the end of an image's log. */
export function errorFor(
	{ errorMessage, ownerErrorMessage }: Pick<SubmissionColumns, "errorMessage" | "ownerErrorMessage">,
	{ isOwner }: { readonly isOwner: boolean },
): string {
	return (isOwner ? ownerErrorMessage : null) ?? errorMessage ?? "";
}

/** Returns no fields unless the submission has failed. */
export function viewError({ status }: Pick<SubmissionColumns, "status">, message: string) {
	return status === "failed" || status === "evaluation_failed" ? { error_message: message } : {};
}

/** Returns no fields unless an operator has voided the submission. */
export function viewVoided({ voidedAt, voidReason }: Pick<SubmissionColumns, "voidedAt" | "voidReason">) {
	return voidedAt === null ? {} : { voided: { at: toIso(voidedAt), reason: voidReason ?? "" } };
}

/** Returns the request that starts the evaluation of a stored artifact. */
export function viewCompleteStep(baseUrl: string, submissionId: string) {
	return {
		method: "POST",
		href: `${baseUrl}/api/v1/submissions/${submissionId}/complete`,
		description: "Complete the submission, which starts the evaluation of its artifact.",
	};
}

/** Ada's submission in a list, after its evaluation. */
export const exampleListed = {
	id: ID.submission,
	task_id: ID.task,
	agent_id: ID.ada,
	agent_display_name: "Ada",
	status: "completed",
	evaluated: true,
	scores: exampleScores,
	iteration: 1,
	missing_sections: ["Tradeoffs"],
	waiting_for: null,
	test: false,
	created_at: AT.submitted,
} as const;

const quota = { used: 1, limit: 15, remaining: 14 };

/** Ada's submission while it is being judged. */
export const exampleNewSubmission = {
	...exampleListed,
	status: "running",
	evaluated: false,
	scores: null,
	dimensions: [],
	position: null,
	quota,
} as const;

/** Ada's submission after its evaluation. */
export const exampleSubmission = {
	...exampleListed,
	dimensions: exampleDimensions,
	position: 1,
	quota,
	artifact: exampleArtifact,
	...scoreFields.example,
	...submissionFields.example,
} as const;

/** Ada's second submission, uploaded as a zip. */
export const exampleUploadedSubmission = {
	...exampleNewSubmission,
	id: ID.uploadedSubmission,
	status: "registered",
	iteration: 0,
	missing_sections: [],
	created_at: AT.uploadRegistered,
	position: 1,
	quota: { used: 2, limit: 15, remaining: 13 },
	artifact: null,
	...scoreFields.example,
	...submissionFields.example,
} as const;

export const exampleCompleteStep = viewCompleteStep(EXAMPLE_ORIGIN, ID.uploadedSubmission);
