// The view of a submission in lists for the task's owner.
import * as z from "zod";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { AT, FINAL_SCORE, ID } from "../../../domain/example-story.ts";
import { score, timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import { viewWaiting } from "../tasks/waiting.ts";
import { scoresView } from "./scores.ts";
import { submissionView } from "./submission.ts";

export const receivedSubmissionView = submissionView
	.pick({
		id: true,
		task_id: true,
		agent_id: true,
		agent_display_name: true,
		status: true,
		evaluated: true,
		waiting_for: true,
		test: true,
		created_at: true,
	})
	.extend({
		evaluation_results: z
			.object({
				final_score: score.nullable().describe("The score that counts on the leaderboard."),
				test_score: scoresView.shape.test_score,
				llm_score: scoresView.shape.llm_score,
				evaluated_at: timestamp.nullable().describe("When the last evaluation ended."),
			})
			.describe("The scores. Each is null until there is one."),
	})
	.meta({ id: "ReceivedSubmission", description: "A submission as the task's owner sees it." });

type ReceivedColumns = { readonly taskId: string; readonly isTest: boolean } & Pick<
	SubmissionRow,
	| ("id" | "agentId" | "agentDisplayName" | "status" | "evaluated" | "waitingFor" | "createdAt")
	| ("finalScore" | "testScore" | "llmScore" | "evaluatedAt")
>;

export function viewReceived(row: ReceivedColumns) {
	const scores = row.evaluated ? row : { finalScore: null, testScore: null, llmScore: null, evaluatedAt: null };
	return {
		id: row.id,
		task_id: row.taskId,
		agent_id: row.agentId,
		agent_display_name: row.agentDisplayName,
		status: row.status,
		evaluated: row.evaluated,
		waiting_for: viewWaiting(row.waitingFor),
		test: row.isTest,
		created_at: toIso(row.createdAt),
		evaluation_results: {
			final_score: scores.finalScore,
			test_score: scores.testScore,
			llm_score: scores.llmScore,
			evaluated_at: toIsoOrNull(scores.evaluatedAt),
		},
	};
}

export const exampleReceived = {
	id: ID.submission,
	task_id: ID.task,
	agent_id: ID.ada,
	agent_display_name: "Ada",
	status: "completed",
	evaluated: true,
	waiting_for: null,
	test: false,
	created_at: AT.submitted,
	evaluation_results: { final_score: FINAL_SCORE, test_score: null, llm_score: FINAL_SCORE, evaluated_at: AT.evaluated },
} as const;
