import * as z from "zod";
import { LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { idParams, oneLineText, score, taskId, text, timestamp } from "../../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../../http/pagination.ts";
import { STORED_BYTES_HEADERS } from "../../../http/stored-bytes.ts";
import { filesInput } from "../submissions/files-input.ts";
import { dimensionView } from "../submissions/scores.ts";
import { judgeUsageView } from "../tasks/task-detail.ts";

const poster = { tags: ["Poster"], auth: "key", params: idParams } as const;

const dryRunId = z.uuid().describe("The id of the dry run.");
const label = oneLineText({ min: 1, max: 100 });
const partScore = score.nullable();

export const startDryRunRequest = z
	.object({
		files: filesInput,
		label: label.nullish().describe("A name for the run, to tell it from others."),
		expected: z
			.record(text({ min: 1, max: 200 }), score)
			.refine((scores) => Object.keys(scores).length > 0, "must name a criterion")
			.nullish()
			.meta({
				description: "The score that you would give, by name of the criterion. The run then says how far the judge is from it.",
				minProperties: 1,
			}),
	})
	.meta({ id: "DryRunRequest", description: "Files to judge out of competition." });

const status = z
	.enum(["running", "completed", "evaluation_failed"])
	.describe("`running` is being judged. `completed` has scores. `evaluation_failed` could not be judged.");

const listedDryRunView = z
	.object({
		id: dryRunId,
		task_id: taskId,
		label: z.string().nullable().describe("The name that you gave the run. Null without one."),
		status,
		scores: z
			.object({
				final_score: score.describe("The score that a submission would have on the leaderboard."),
				test_score: partScore.describe("The score of the tests. Null if no tests ran."),
				llm_score: partScore.describe("The score of the language model. Null if no model judged the files."),
				container_score: partScore.describe("The score of your image. Null if no image ran."),
			})
			.meta({ id: "DryRunScores", description: "The scores of a dry run." })
			.nullable()
			.describe("Null until the run is completed."),
		expected: z.record(z.string(), score).nullable().describe("The scores that you expected. Null if you gave none."),
		agreement: z
			.object({
				mean_absolute_error: z
					.number()
					.min(0)
					.max(100)
					.nullable()
					.describe("How far the judge is from you, in points, on average. Null if no expected criterion has a score."),
				criteria: z
					.array(
						z.object({
							criterion_name: z.string().describe("The name of the criterion."),
							expected: score.describe("Your score."),
							score: score.nullable().describe("The judge's score. Null if it gave none for this criterion."),
						}),
					)
					.describe("The criteria that you gave a score for."),
			})
			.meta({ id: "Agreement", description: "How far a judge is from the poster." })
			.nullable()
			.describe("Null until the run is completed, and if you expected nothing."),
		error_message: z.string().nullable().describe("Why there are no scores. Null unless the run failed."),
		waiting_for: z.string().optional().describe("The spending ceiling that the run waits for, and when it continues. Only while it waits."),
		created_at: timestamp.describe("When you started the run."),
	})
	.meta({ id: "ListedDryRun", description: "A dry run in a list, without its reasons." });

const dryRunView = listedDryRunView
	.extend({
		dimensions: z.array(dimensionView).describe("The score of each criterion. Empty until the run is completed."),
		breakdown: z
			.record(z.string(), z.unknown())
			.nullable()
			.describe("Details of the judging, as in the scores of a submission. Null until the run is completed."),
		usage: judgeUsageView.describe("What the requests to models used, those of failed attempts included."),
	})
	.meta({ id: "DryRun", description: "Files that were judged as a submission would be, out of competition." });

export const startDryRun = contractOf({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/dry-run",
	operationId: "startDryRun",
	summary: "Have files judged without submitting them",
	description:
		"For the task's owner, in every state but closed, drafts included. The files are judged as a submission would be. Only you see it: it takes no slot and is not on the leaderboard, in any list or in any event. A task gets 20 dry runs in 24 hours; those that the platform could not judge do not count.",
	rate: "submission",
	body: { schema: startDryRunRequest, required: true, maxBytes: LARGEST_BODY_LIMIT_BYTES },
	response: {
		status: 202,
		description: "The judging is queued.",
		schema: z.object({
			id: dryRunId,
			status: z.literal("running").describe("The files are being judged."),
			poll_url: z.url().describe("Returns the run, with your key. Poll it every 5 seconds while its status is `running`."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_CLOSED", "WRONG_EVAL_MODE", "INVALID_WEIGHTS", "BAD_REQUEST", "RATE_LIMITED", "CONFLICT"],
});

export const getDryRun = contractOf({
	...poster,
	method: "get",
	path: "/api/v1/dry-runs/{id}",
	operationId: "getDryRun",
	summary: "Read a dry run with its scores",
	description: "For the task's owner.",
	rate: "general",
	response: { status: 200, description: "The run.", schema: dryRunView },
	errors: ["NOT_FOUND"],
});

export const listDryRuns = contractOf({
	...poster,
	method: "get",
	path: "/api/v1/tasks/{id}/dry-runs",
	operationId: "listDryRuns",
	summary: "List the dry runs of a task",
	description: "For the task's owner, newest first.",
	rate: "general",
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of dry runs.",
		schema: pageOf(listedDryRunView, "The task's dry runs, newest first.").meta({
			id: "DryRunList",
			description: "A page of a task's dry runs.",
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
});

export const downloadTrialArtifact = contractOf({
	...poster,
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	method: "get",
	path: "/api/v1/trials/{id}/artifact",
	operationId: "downloadTrialArtifact",
	summary: "Download what is judged out of competition",
	description: "For the grader. The URL is the credential.",
	response: { status: 200, description: "The zip.", contentType: "application/zip", schema: z.string(), headers: STORED_BYTES_HEADERS },
	errors: ["NOT_FOUND"],
});
